"""What extensions share: keys, messages and the way through a broker; mass work; positions that phones set up."""
