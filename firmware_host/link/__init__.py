"""What extensions share: broker, keys, messages; mass work; figures; positions; ratings; boards, chips; libraries."""
