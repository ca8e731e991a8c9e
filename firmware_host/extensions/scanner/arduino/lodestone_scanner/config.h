// The wiring of this scanner: the only file to edit. `lodestone board sketch` writes it from a board file.
//
// CHIP           pins                                                        KIND
// CHIP_74HC165   PIN_LOAD (SH/LD), PIN_CLOCK (CLK), PIN_DATA (QH of the       presence, polarity
//                first chip); CLK INH to ground
// CHIP_4067      PINS_SELECT (S0 to S3), PINS_COMMON (the SIG of each chip);  presence, polarity: any pins as common;
//                PIN_ENABLE (E) where it is not tied to ground               level: pins with an ADC
// CHIP_MATRIX    PINS_ROWS, PINS_COLUMNS; a diode at each reed, cathode to    presence (reeds)
//                the row
// CHIP_DIRECT    PINS_INPUTS                                                 presence, polarity
//
// Input i is wired to: 74HC165 chip i / 8, whose inputs count from D7 to D0; 4067 chip i / 16, channel i % 16; matrix
// row i / columns, column i % columns. With KIND_POLARITY node c has the inputs 2c (closes for north up) and 2c + 1
// (south up). Switches close to ground (matrix: to their row). Linear sensors rest at half the supply; north up reads
// higher.
//
// Pins are the numbers printed on an Arduino (A0 for an analogue pin), GP numbers on a Pico, GPIO numbers on an ESP32. An
// impossible configuration does not compile; the compiler's message says why.
#pragma once

#define NODES 45
#define KIND KIND_PRESENCE

#define CHIP CHIP_74HC165
#define PIN_LOAD 2
#define PIN_CLOCK 3
#define PIN_DATA 4

#define SETTLE_US 10  // 4067 and matrix: pause between selecting and reading; longer for long wires
#define AVERAGE 4     // number of ADC readings per level, 1 to 16
#define BAUD 115200
