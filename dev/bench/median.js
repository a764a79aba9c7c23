/**
 * Of several rounds, the time that says most: one slow round, when the machine does something else, does not count.
 */

/** @param {number[]} numbers */
const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

module.exports = { median };
