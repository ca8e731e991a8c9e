// The differences between microcontrollers: watchdog, idling, LED, usable pins.
#pragma once

#include <Arduino.h>

// Pins of each board, one bit each: DIGITAL pins have output, input and pull-up; ANALOGUE pins have an ADC.
#if defined(ARDUINO_ARCH_AVR)
#if !defined(__AVR_ATmega328P__) && !defined(__AVR_ATmega168__)
#error "Of the AVR boards the Nano, the Uno and the Pro Mini are known (ATmega328P): name another one's pins here."
#endif
// 0 and 1 are the serial line, 13 is the LED; A6 and A7 (20 and 21) are analogue inputs only.
const uint64_t DIGITAL = 0x0FDFFC, ANALOGUE = 0x3FC000;
const uint8_t LED = LED_BUILTIN;
#define LED_ON HIGH
#elif defined(ARDUINO_ARCH_ESP32)
// 0, 2, 12 and 15 select the boot mode, 1 and 3 are the serial line, 6 to 11 the flash; 34 to 39 are inputs only.
#if defined(BOARD_HAS_PSRAM)
// A WROVER's memory is at 16 and 17.
const uint64_t DIGITAL = 0x30EEC6030ULL, ANALOGUE = 0x9F00000000ULL;
#else
const uint64_t DIGITAL = 0x30EEF6030ULL, ANALOGUE = 0x9F00000000ULL;
#endif
#if defined(LED_BUILTIN)
const uint8_t LED = LED_BUILTIN;
#else
const uint8_t LED = 2;
#endif
#define LED_ON HIGH
#elif defined(ARDUINO_ARCH_RP2040)
// 23 to 25 and 29 belong to the Pico itself.
const uint64_t DIGITAL = 0x1C7FFFFF, ANALOGUE = 0x1C000000;
const uint8_t LED = LED_BUILTIN;
#define LED_ON HIGH
#else
#error "Known boards: Arduino Nano and Uno (ATmega328P), ESP32, Raspberry Pi Pico."
#endif

#if defined(ARDUINO_ARCH_AVR)
#include <avr/interrupt.h>
#include <avr/sleep.h>
#include <avr/wdt.h>

// The watchdog restarts a loop that hangs for a second. The boot loader of older Nanos can't recover from a watchdog
// reset, so the watchdog's interrupt jumps to the start of the program instead.
ISR(WDT_vect, ISR_NAKED) { asm volatile("jmp 0"); }

inline void guard() {
  cli();
  wdt_reset();
  MCUSR = 0;
  WDTCSR = _BV(WDCE) | _BV(WDE);
  WDTCSR = _BV(WDIE) | WDTO_1S;
  sei();
}

inline void alive() { wdt_reset(); }

// Sleep until the next tick (1 ms) or received byte.
inline void rest() {
  set_sleep_mode(SLEEP_MODE_IDLE);
  sleep_mode();
}

// The ADC is switched off first: a hanging conversion survives the watchdog's jump. At 1 MHz a reading takes 15 µs
// instead of 104 and is still more precise than the 8 bits in use.
inline void prepareAnalogue() {
  ADCSRA = 0;
  ADCSRA = _BV(ADEN) | _BV(ADPS2);
}

#else

inline void prepareAnalogue() { analogReadResolution(10); }

inline void rest() { delay(1); }

#if defined(ARDUINO_ARCH_ESP32)
inline void guard() { enableLoopWDT(); }  // The core feeds it between two calls of loop().
inline void alive() {}
#else
inline void guard() { rp2040.wdt_begin(1000); }
inline void alive() { rp2040.wdt_reset(); }
#endif
#endif
