"""What extensions share: broker, keys, messages; mass work; figures; positions; ratings; results; boards and chips."""
