// A board scanner for Lodestone: Arduino Nano and Uno (ATmega328P), ESP32, Raspberry Pi Pico.
//
// 1. Write config.h for your board: `lodestone board sketch BOARD --on nano --out config.h`, or edit it by hand.
// 2. Open this folder in the Arduino IDE, choose the board and the port, upload.
// 3. In the board file: scheme = "serial", and device = the port (/dev/ttyUSB0, better its name in /dev/serial/by-id/).
//
// The LED flashes briefly once per second while no host has asked for reports; it is on for half of each second while the
// scanner reports to a host. The watchdog restarts a hanging loop after a second (ESP32: five).

#include "scanner.h"

const uint16_t FLASH_MS = 60, BLINK_MS = 500, ROUND_MS = 1000;

Scanner scanner;

void beat() {
  uint16_t at = millis() % ROUND_MS;
  digitalWrite(LED, at < (scanner.asked() ? BLINK_MS : FLASH_MS) ? LED_ON : !LED_ON);
}

void setup() {
  Serial.begin(BAUD);
  pinMode(LED, OUTPUT);
  prepare();
  guard();
  scanner.begin();
}

void loop() {
  alive();
  beat();
  if (!scanner.step()) rest();
}
