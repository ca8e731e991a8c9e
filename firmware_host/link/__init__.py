"""What extensions share: a broker, with keys and messages; mass work; figures; what phones set up; ratings; results."""
