"""Pages over HTTPS, by a certificate that is given or that the machine makes itself."""
