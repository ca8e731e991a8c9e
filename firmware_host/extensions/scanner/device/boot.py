"""MicroPython runs this first, also before the prompt of mpremote and Thonny, where a timer must feed the watchdog."""

import watchdog

watchdog.at_the_prompt()
