"""What all tests need."""

import signal

# Jobs that a shell runs in the background ignore Ctrl-C, and so do their children: here it must be heard.
signal.signal(signal.SIGINT, signal.default_int_handler)
