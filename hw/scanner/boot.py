"""MicroPython runs this first, also before the prompt of mpremote and Thonny: there the watchdog is fed by a timer."""

import watchdog

watchdog.at_the_prompt()
