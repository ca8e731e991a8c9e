// The scanner's end of the scanner protocol: answers to the host, and reports when they are due.
#pragma once

#include "chips.h"
#include "frames.h"

const char FIRMWARE[] = "lodestone-scanner 2.1 arduino #";  // The digest of the configuration follows.
const uint16_t SNAPSHOT_EVERY_MS = 1000;  // while only changes are reported
const uint8_t APART = KIND == KIND_LEVEL ? 3 : 1;  // Least change since the last report that is reported.
const uint8_t MAX_CHANGES = 81;  // maximum that fits into one frame
const uint8_t NOT_UNDERSTOOD = 1;

// By it the host knows whether the scanner reads the pins that the board file means (scanner-protocol.md).
inline uint32_t configurationDigest() {
  uint8_t content[4 + sizeof(WIRES)] = {NODES >> 8, NODES & 0xFF, KIND, CHIP};
  memcpy(content + 4, WIRES, sizeof(WIRES));
  return crc32(content, sizeof(content));
}

class Scanner {
 public:
  // Send a hello at once, which tells the host of a restart. The zero byte separates it from a boot loader's output.
  void begin() {
    Serial.write((uint8_t)0);
    hello();
  }

  // Do everything that is due; return whether there was anything.
  bool step() {
    bool heard = false;
    while (Serial.available()) {
      heard = true;
      if (reader_.take(Serial.read())) answer(reader_.payload[0], reader_.payload + 2, reader_.count - 2);
    }
    uint32_t now = millis();
    if (!period_ || (int32_t)(now - due_) < 0) return heard;
    due_ += period_;
    if ((int32_t)(now - due_) > 0) due_ = now;
    if (changes_ && (int32_t)(now - snapshotDue_) < 0) {
      reportChanges();
    } else {
      reportAll();
    }
    return true;
  }

  // Whether a host wants reports.
  bool asked() const { return period_; }

 private:
  void answer(char what, const uint8_t *body, uint8_t count) {
    if (reader_.version != (what == 'H' ? 1 : version_)) return;
    if (what == 'H' && count == 1 && body[0]) {
      version_ = body[0] < NEWEST ? body[0] : NEWEST;
      hello();
    } else if (what == 'P' && !count) {
      sender_.begin('p');
      send();
    } else if (what == 'R' && !count) {
      reportAll();
    } else if (what == 'C' && count == 3) {
      configure((uint16_t)body[0] << 8 | body[1], body[2]);
    }
  }

  void configure(uint16_t period, uint8_t mode) {
    if (!period || mode > 1) {
      sender_.begin('e');
      sender_.add(NOT_UNDERSTOOD);
      sender_.addText("configure: expected a period of 1 ms or more and mode 0 or 1");
      send();
      return;
    }
    period_ = period;
    changes_ = mode;
    due_ = millis() + period;
    reportAll();
  }

  void hello() {
    sender_.begin('h');
    sender_.add(version_);
    sender_.add16(NODES);
    sender_.add(KIND);
    sender_.addText(FIRMWARE);
    uint32_t digest = configurationDigest();
    for (int8_t shift = 28; shift >= 0; shift -= 4) sender_.add("0123456789abcdef"[digest >> shift & 15]);
    send();
  }

  void read() {
    scan(found_);
#if KIND == KIND_POLARITY
    for (uint16_t node = 0; node < NODES; node++) found_[node] = found_[2 * node] | found_[2 * node + 1] << 1;
#endif
  }

  void reportAll() {
    read();
    memcpy(sent_, found_, NODES);
    uint32_t now = millis();
    snapshotDue_ = now + SNAPSHOT_EVERY_MS;
    sender_.begin('s');
    sender_.add32(now);
    const uint8_t bits = KIND == KIND_LEVEL ? 8 : KIND == KIND_POLARITY ? 2 : 1;
    uint8_t packed = 0, at = 0;
    for (uint16_t node = 0; node < NODES; node++) {
      packed |= found_[node] << at;
      at += bits;
      if (at == 8) {
        sender_.add(packed);
        packed = at = 0;
      }
    }
    if (at) sender_.add(packed);
    send();
  }

  bool differs(uint16_t node) const { return abs((int16_t)found_[node] - (int16_t)sent_[node]) >= APART; }

  void reportChanges() {
    read();
    uint16_t changed = 0;
    for (uint16_t node = 0; node < NODES; node++) changed += differs(node);
    if (!changed) return;
    if (changed > MAX_CHANGES) {
      reportAll();
      return;
    }
    sender_.begin('d');
    sender_.add32(millis());
    for (uint16_t node = 0; node < NODES; node++) {
      if (!differs(node)) continue;
      sent_[node] = found_[node];
      sender_.add16(node);
      sender_.add(found_[node]);
    }
    send();
  }

  void send() { sender_.send(Serial, version_); }

  Sender sender_;
  Reader reader_;
  uint8_t version_ = NEWEST;
  uint16_t period_ = 0;
  bool changes_ = false;
  uint32_t due_ = 0, snapshotDue_ = 0;
  uint8_t found_[INPUTS], sent_[NODES];
};
