"""What extensions share: a broker, keys, messages; mass work; figures; positions; ratings; results; preconditions;
libraries that may be missing."""
