"""What extensions share: the way through a broker, with keys and messages; mass work; what phones set up; ratings."""
