// The chips that read sensors. scan() puts one number per input into `found`: 1 for a closed switch, or a level (0-255).
#pragma once

#include "platform.h"

#define KIND_PRESENCE 0
#define KIND_POLARITY 1
#define KIND_LEVEL 2
#define CHIP_74HC165 1
#define CHIP_4067 2
#define CHIP_MATRIX 3
#define CHIP_DIRECT 4

#include "config.h"

const uint16_t INPUTS = KIND == KIND_POLARITY ? 2 * NODES : NODES;

static_assert(NODES >= 1 && NODES <= 512, "NODES: expected 1 to 512");
static_assert(KIND != KIND_LEVEL || NODES <= 244, "NODES: expected at most 244 of KIND_LEVEL");
static_assert(KIND != KIND_LEVEL || CHIP == CHIP_4067, "KIND: this chip has switches: expected KIND_PRESENCE or KIND_POLARITY");
static_assert(KIND == KIND_PRESENCE || CHIP != CHIP_MATRIX, "KIND: a matrix is for reeds: expected KIND_PRESENCE");
static_assert(AVERAGE >= 1 && AVERAGE <= 16, "AVERAGE: expected 1 to 16");

constexpr uint64_t bitOf(uint8_t pin) { return pin < 64 ? 1ULL << pin : 0; }

// The pins of a list, one bit each; 0 if a pin can't be used or is listed twice.
constexpr uint64_t together(uint64_t, uint64_t used) { return used; }
template <class... Rest>
constexpr uint64_t together(uint64_t allowed, uint64_t used, uint8_t pin, Rest... rest) {
  return (bitOf(pin) & allowed & ~used) ? together(allowed, used | bitOf(pin), rest...) : 0;
}
template <class... Pins>
constexpr uint16_t counted(Pins... pins) {
  return sizeof...(pins);
}

// Of each chip WIRES has its lists of pins, each with its length, as the digest of the configuration wants them.
#define WRONG_PIN ": a pin that this board has not to spare, or one that is there twice (see platform.h)"

inline void drive(uint8_t pin, uint8_t level) {
  digitalWrite(pin, level);
  pinMode(pin, OUTPUT);
}

#if CHIP == CHIP_74HC165

const uint8_t WIRES[] = {1, PIN_LOAD, 1, PIN_CLOCK, 1, PIN_DATA};

static_assert(together(DIGITAL, 0, PIN_LOAD, PIN_CLOCK, PIN_DATA), "PIN_LOAD, PIN_CLOCK, PIN_DATA" WRONG_PIN);

inline void prepare() {
  drive(PIN_LOAD, HIGH);
  drive(PIN_CLOCK, LOW);
  pinMode(PIN_DATA, INPUT);
}

inline void scan(uint8_t *found) {
  digitalWrite(PIN_LOAD, LOW);
  digitalWrite(PIN_LOAD, HIGH);
  for (uint16_t index = 0; index < INPUTS; index++) {
    if (index) {
      digitalWrite(PIN_CLOCK, HIGH);
      digitalWrite(PIN_CLOCK, LOW);
    }
    found[index] = digitalRead(PIN_DATA) == LOW;
  }
}

#elif CHIP == CHIP_4067

const uint8_t SELECT[] = {PINS_SELECT}, COMMON[] = {PINS_COMMON};
const uint8_t CHANNELS = 16;
#ifdef PIN_ENABLE
#define ALL_DRIVEN PINS_SELECT, PIN_ENABLE
#define ENABLES 1, PIN_ENABLE
#else
#define ALL_DRIVEN PINS_SELECT
#define ENABLES 0
#endif
const uint8_t WIRES[] = {counted(PINS_SELECT), PINS_SELECT, counted(PINS_COMMON), PINS_COMMON, ENABLES};

static_assert(counted(PINS_SELECT) == 4, "PINS_SELECT: expected four, S0 to S3");
static_assert(counted(PINS_COMMON) == (INPUTS + CHANNELS - 1) / CHANNELS, "PINS_COMMON: expected one for each 16 inputs");
static_assert(together(DIGITAL, 0, ALL_DRIVEN), "PINS_SELECT, PIN_ENABLE" WRONG_PIN);
static_assert(together(KIND == KIND_LEVEL ? ANALOGUE : DIGITAL, together(DIGITAL, 0, ALL_DRIVEN), PINS_COMMON),
              "PINS_COMMON" WRONG_PIN);

inline void prepare() {
#ifdef PIN_ENABLE
  drive(PIN_ENABLE, LOW);
#endif
  for (uint8_t pin : SELECT) drive(pin, LOW);
#if KIND == KIND_LEVEL
  prepareAnalogue();
#else
  for (uint8_t pin : COMMON) pinMode(pin, INPUT_PULLUP);
#endif
}

inline uint8_t measure(uint8_t pin) {
#if KIND == KIND_LEVEL
  uint16_t sum = 0;
  for (uint8_t turn = 0; turn < AVERAGE; turn++) sum += analogRead(pin);
  return sum / AVERAGE >> 2;
#else
  return digitalRead(pin) == LOW;
#endif
}

// In Gray-code order: each step changes one select line.
inline void scan(uint8_t *found) {
  uint8_t channel = 0;
  for (uint8_t step = 1; step <= CHANNELS; step++) {
    uint8_t changed = 0;
    while (changed < 3 && !(step >> changed & 1)) changed++;
    channel ^= 1 << changed;
    digitalWrite(SELECT[changed], channel >> changed & 1);
    delayMicroseconds(SETTLE_US);
    uint16_t index = channel;
    for (uint8_t pin : COMMON) {
      if (index < INPUTS) found[index] = measure(pin);
      index += CHANNELS;
    }
  }
}

#elif CHIP == CHIP_MATRIX

const uint8_t ROWS[] = {PINS_ROWS}, COLUMNS[] = {PINS_COLUMNS};
const uint8_t WIRES[] = {counted(PINS_ROWS), PINS_ROWS, counted(PINS_COLUMNS), PINS_COLUMNS};

static_assert(counted(PINS_ROWS) * counted(PINS_COLUMNS) >= INPUTS, "PINS_ROWS, PINS_COLUMNS: fewer crossings than inputs");
static_assert(together(DIGITAL, 0, PINS_ROWS, PINS_COLUMNS), "PINS_ROWS, PINS_COLUMNS" WRONG_PIN);

inline void prepare() {
  for (uint8_t pin : ROWS) drive(pin, HIGH);
  for (uint8_t pin : COLUMNS) pinMode(pin, INPUT_PULLUP);
}

inline void scan(uint8_t *found) {
  uint16_t index = 0;
  for (uint8_t row : ROWS) {
    digitalWrite(row, LOW);
    delayMicroseconds(SETTLE_US);
    for (uint8_t column : COLUMNS) {
      if (index < INPUTS) found[index++] = digitalRead(column) == LOW;
    }
    digitalWrite(row, HIGH);
  }
}

#elif CHIP == CHIP_DIRECT

const uint8_t SWITCHES[] = {PINS_INPUTS};
const uint8_t WIRES[] = {counted(PINS_INPUTS), PINS_INPUTS};

static_assert(counted(PINS_INPUTS) == INPUTS, "PINS_INPUTS: expected one for each input");
static_assert(together(DIGITAL, 0, PINS_INPUTS), "PINS_INPUTS" WRONG_PIN);

inline void prepare() {
  for (uint8_t pin : SWITCHES) pinMode(pin, INPUT_PULLUP);
}

inline void scan(uint8_t *found) {
  for (uint16_t index = 0; index < INPUTS; index++) found[index] = digitalRead(SWITCHES[index]) == LOW;
}

#else
#error "CHIP: expected CHIP_74HC165, CHIP_4067, CHIP_MATRIX or CHIP_DIRECT"
#endif
