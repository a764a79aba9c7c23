/**
 * Order of the tests in a real n8n: the longest begin first, so that none of them runs alone at the end. Jest knows how long a file
 * takes only after its first run.
 */
const { default: Sequencer } = require('@jest/test-sequencer');

const LONGEST = 'install triggerMemory triggerDurable demo editor firstAlert'.split(' ');

module.exports = class extends Sequencer {
	/** @param {import('@jest/test-result').Test[]} tests */
	sort(tests) {
		const rank = (/** @type {{ path: string }} */ { path }) => {
			const index = LONGEST.findIndex((name) => path.includes(`/${name}.test.`));
			return index === -1 ? LONGEST.length : index;
		};
		return [...tests].sort((one, other) => rank(one) - rank(other));
	}
};
