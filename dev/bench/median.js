/**
 * Median of several rounds, which ignores one slow round under other load.
 */

/** @param {number[]} numbers */
const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

module.exports = { median };
