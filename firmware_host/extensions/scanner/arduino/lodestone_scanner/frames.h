// Frames of the scanner protocol (scanner-protocol.md): COBS, length, CRC. No port, no clock.
#pragma once

#include <stdint.h>
#include <string.h>

const uint8_t NEWEST = 2;
const uint8_t MAX_PAYLOAD = 250;
// The host's frames are short: at most 1 + 5 + 4 bytes, and one byte of COBS.
const uint8_t MAX_HEARD = 11;

inline uint16_t crc16(const uint8_t *data, uint16_t count) {
  uint16_t crc = 0xFFFF;
  while (count--) {
    crc ^= (uint16_t)*data++ << 8;
    for (uint8_t bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1;
  }
  return crc;
}

inline uint32_t crc32(const uint8_t *data, uint16_t count) {
  static const uint32_t HALF_BYTES[16] = {
      0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC, 0x76DC4190, 0x6B6B51F4, 0x4DB26158, 0x5005713C,
      0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C, 0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C};
  uint32_t crc = 0xFFFFFFFF;
  while (count--) {
    crc ^= *data++;
    crc = crc >> 4 ^ HALF_BYTES[crc & 15];
    crc = crc >> 4 ^ HALF_BYTES[crc & 15];
  }
  return ~crc;
}

// Builds and sends one payload at a time: type, sequence number, body.
class Sender {
 public:
  void begin(char type) {
    content_[1] = type;
    content_[2] = sequence_++;
    count_ = 3;
  }

  void add(uint8_t byte) {
    if (count_ <= MAX_PAYLOAD) content_[count_++] = byte;
  }

  void add16(uint16_t number) {
    add(number >> 8);
    add(number & 0xFF);
  }

  void add32(uint32_t number) {
    add16(number >> 16);
    add16(number & 0xFFFF);
  }

  void addText(const char *text) {
    while (*text) add(*text++);
  }

  // Send the payload as a frame of this protocol version. A port has write(byte) and write(bytes, count).
  template <class Port>
  void send(Port &port, uint8_t version) {
    if (version == 1) {
      uint16_t crc = crc16(content_ + 1, count_ - 1);
      content_[count_++] = crc >> 8;
      content_[count_++] = crc & 0xFF;
      stuff(port, content_ + 1, count_ - 1);
    } else {
      content_[0] = count_ - 1;
      uint32_t crc = crc32(content_, count_);
      for (int8_t shift = 24; shift >= 0; shift -= 8) content_[count_++] = crc >> shift & 0xFF;
      stuff(port, content_, count_);
    }
  }

 private:
  template <class Port>
  static void stuff(Port &port, const uint8_t *content, uint16_t count) {
    uint16_t at = 0;
    for (;;) {
      uint8_t run = 0;
      while (run < 254 && at + run < count && content[at + run]) run++;
      port.write((uint8_t)(run + 1));
      port.write(content + at, run);
      at += run;
      if (at == count) break;
      if (run < 254) at++;  // The zero that the next code stands for.
    }
    port.write((uint8_t)0);
  }

  uint8_t content_[1 + MAX_PAYLOAD + 4];
  uint16_t count_ = 0;
  uint8_t sequence_ = 0;
};

// Splits the host's bytes into frames and drops malformed ones.
class Reader {
 public:
  uint8_t version = 0;  // Protocol version of the last whole frame.
  const uint8_t *payload = nullptr;
  uint8_t count = 0;  // Bytes of the payload.

  // Add a byte; return whether it ends a valid frame.
  bool take(uint8_t byte) {
    if (byte) {
      if (pending_ <= MAX_HEARD) {
        if (pending_ < MAX_HEARD) frame_[pending_] = byte;
        pending_++;  // One byte too many marks a frame as too long.
      }
      return false;
    }
    uint8_t length = pending_;
    pending_ = 0;
    return length && length <= MAX_HEARD && decode(length);
  }

 private:
  bool decode(uint8_t length) {
    uint8_t content = 0;
    for (uint8_t at = 0; at < length;) {
      uint8_t end = at + frame_[at];
      if (end > length || end <= at) return false;
      while (++at < end) frame_[content++] = frame_[at];  // Never writes beyond the byte being read.
      if (end < length) frame_[content++] = 0;
    }
    if (content >= 7 && frame_[0] == content - 5 && sealed32(content - 4)) {
      version = 2;
      payload = frame_ + 1;
      count = content - 5;
      return true;
    }
    if (content >= 4 && crc16(frame_, content - 2) == ((uint16_t)frame_[content - 2] << 8 | frame_[content - 1])) {
      version = 1;
      payload = frame_;
      count = content - 2;
      return true;
    }
    return false;
  }

  bool sealed32(uint8_t at) const {
    uint32_t crc = crc32(frame_, at);
    for (uint8_t index = 0; index < 4; index++) {
      if (frame_[at + index] != (crc >> (24 - 8 * index) & 0xFF)) return false;
    }
    return true;
  }

  uint8_t frame_[MAX_HEARD];
  uint8_t pending_ = 0;
};
