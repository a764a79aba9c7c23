/** Looking for what must not be anywhere in a value. */
const { inspect } = require('node:util');

/** All that is reachable from `value`, hidden properties too, as text: for looking for what must not be there. @param {unknown} value */
exports.everythingIn = (value) =>
	inspect(value, { depth: 12, showHidden: true, maxArrayLength: null, maxStringLength: null });
