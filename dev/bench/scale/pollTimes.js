/**
 * What to set *Poll Times* to for a team whose round takes so long: the service is asked a quarter of the time at most, unless
 * the team is so large that a round takes several polls; then they follow each other closely.
 */

/**
 * Seconds in which a poll begins users: what n8n lets it take (300, and 36), less what the trigger leaves for the answers that
 * are on their way then (trigger/poll.ts).
 */
const SCHEDULERS = { 'in memory': 300 - 60, durable: 36 - 12 };

/** Usual ones. */
const MINUTES = [1, 5, 10, 15, 30, 60];

/** How much shorter than the interval a round is. */
const TIME_TO_SPARE = 4;

/** @param {number} seconds of a round @param {number} pollSeconds */
function pollTimes(seconds, pollSeconds) {
	const least = seconds > pollSeconds ? pollSeconds : seconds * TIME_TO_SPARE;
	const minutes = MINUTES.find((one) => one * 60 >= least) ?? MINUTES[MINUTES.length - 1];
	return { minutes, text: minutes === 1 ? 'every minute' : `every ${minutes} minutes` };
}

module.exports = { SCHEDULERS, pollTimes };
