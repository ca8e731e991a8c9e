"""What extensions share: keys, messages, the way through a broker; mass work; figures; positions from phones."""
