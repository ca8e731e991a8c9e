"""What extensions share: a broker, keys, messages; mass work; figures; positions; ratings; results; preconditions."""
