"""The wiring of this scanner: the only file to edit. `lodestone board sketch` writes it from a board file.

Pins are GP numbers of the Pico (GP2 is 2) or GPIO numbers of an ESP32, not the numbers of their legs.

Pins that each CHIP needs (45 nodes with kind polarity have 90 inputs, see the board file's kind):

========== ============================================================== ========================================
CHIP       PINS                                                           KIND
========== ============================================================== ========================================
"74hc165"  load (SH/LD), clock (CLK), data (QH of the first chip); CLK    presence, polarity
           INH to ground
"4067"     select (S0 to S3), common (the SIG of each chip); enable (E)   presence, polarity: any pins as common;
           where it is not tied to ground                                 level: pins with an ADC (Pico: GP26 to
                                                                          GP28, ESP32: 32 to 36, 39)
"matrix"   rows, columns; a diode at each reed, cathode to the row        presence (reeds)
========== ============================================================== ========================================

Input i is wired to: 74hc165 chip i // 8, whose inputs count from D7 to D0; 4067 chip i // 16, channel i % 16; matrix
row i // columns, column i % columns. With kind polarity node c has the inputs 2c (closes for north up) and 2c + 1
(south up). Switches close to ground (matrix: to their row). Linear sensors rest at half the supply; north up reads
higher.

For a board file's kind "coded" (wells with nine sensors) KIND is "presence" here, and NODES is the number of sensors:
17 wells and 36 other nodes have 189.
"""

NODES = 45
KIND = "presence"

CHIP = "74hc165"
PINS = {"load": 2, "clock": 3, "data": 4}
BOARD = ""  # "pico", "pico w", "esp32" or "esp32 wrover"; "" for the board that MicroPython reports
SETTLE_US = 10  # 4067 and matrix: pause between selecting and reading; longer for long wires
AVERAGE = 4  # number of ADC readings per level

PORT = "usb"  # or "uart", with UART = {"id": 0, "baud": 115200, "tx": 0, "rx": 1}; or "wifi", with CODE and wifi.py
UART = {}
CODE = ""  # the pairing code, as in the board file
