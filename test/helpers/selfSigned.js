/**
 * A certificate that nobody signed but itself, for `health.test`, `localhost` and 127.0.0.1, valid until 2126. Made for these tests
 * with openssl; its key is public, as it stands here, and protects nothing.
 */
exports.SELF_SIGNED = {
	cert: `-----BEGIN CERTIFICATE-----
MIIBrDCCAVKgAwIBAgIUI33/ck1opr65Z10yDdkVmLHI7t4wCgYIKoZIzj0EAwIw
FjEUMBIGA1UEAwwLaGVhbHRoLnRlc3QwIBcNMjYxMTIxMTgxOTIyWhgPMjEyNjEw
MjgxODE5MjJaMBYxFDASBgNVBAMMC2hlYWx0aC50ZXN0MFkwEwYHKoZIzj0CAQYI
KoZIzj0DAQcDQgAEc7WFmE93l37GRD+qv2SpiKY4hSyHZWq8TS40nuEsMqnt/Fa7
qGx3YeQRI5EaIQJj1csLII6Ssr0sraTcMI+s5qN8MHowHQYDVR0OBBYEFOlCT0xv
tjWB7LpdUv5t/WZgHAwHMB8GA1UdIwQYMBaAFOlCT0xvtjWB7LpdUv5t/WZgHAwH
MA8GA1UdEwEB/wQFMAMBAf8wJwYDVR0RBCAwHoILaGVhbHRoLnRlc3SCCWxvY2Fs
aG9zdIcEfwAAATAKBggqhkjOPQQDAgNIADBFAiEAzvCvukpNfA6BcOKKfhSL4Mye
jbjZSrw27C0uZ764ZaACIC/fYmKiVPAH9X7YgSmix33nVPDKqCT/kxIIlIYfduu8
-----END CERTIFICATE-----`,
	key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg5XUDCDj62BTJtmhm
n5ulSMnXN9xHmYgPXXXEG2XslVOhRANCAARztYWYT3eXfsZEP6q/ZKmIpjiFLIdl
arxNLjSe4Swyqe38VruobHdh5BEjkRohAmPVywsgjpKyvSytpNwwj6zm
-----END PRIVATE KEY-----`,
};
