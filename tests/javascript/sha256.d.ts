// What the pages use of web_panel/static/vendor/noble-sha256-2.4.0.js, for the type checker.
export function sha256(message: Uint8Array): Uint8Array;
export function bytesToHex(bytes: Uint8Array): string;
export function utf8ToBytes(text: string): Uint8Array;
