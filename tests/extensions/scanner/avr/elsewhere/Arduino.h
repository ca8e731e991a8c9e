// What the sketch uses of Arduino's core on an ESP32 and a Pico: declared, so that a compiler can check it, never run.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum { LOW, HIGH, INPUT, OUTPUT, INPUT_PULLUP };
#ifdef ARDUINO_ARCH_RP2040
#define LED_BUILTIN 25
struct RP2040 {
  void wdt_begin(uint32_t ms);
  void wdt_reset();
};
extern RP2040 rp2040;
#else
void enableLoopWDT();
#endif

void pinMode(uint8_t pin, uint8_t mode);
void digitalWrite(uint8_t pin, uint8_t level);
int digitalRead(uint8_t pin);
int analogRead(uint8_t pin);
void analogReadResolution(uint8_t bits);
void delay(unsigned long ms);
void delayMicroseconds(unsigned int us);
unsigned long millis();

struct Line {
  void begin(unsigned long baud);
  int available();
  int read();
  size_t write(uint8_t byte);
  size_t write(const uint8_t *bytes, size_t count);
};
extern Line Serial;
