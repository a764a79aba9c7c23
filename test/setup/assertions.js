/** Every test makes an assertion: a test without one passes whatever the code does. */
beforeEach(() => expect.hasAssertions());
