/** Setting of the test of whole days, from the environment. */

/** Whether the test of whole days takes all of them, which takes long. */
exports.EVERY_DAY = Boolean(process.env.EVERY_DAY);
