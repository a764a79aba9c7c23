/** The words that a search finds a metric by: step 5 of docs/adding-a-metric.md, for each metric. */
import { metrics } from '../../nodes/HealthDataService/service/readings/metrics';
import { textOf } from '../helpers/pages';

const listOf = (file: string, field: string) => (JSON.parse(textOf(file)) as Record<string, string[]>)[field];
const lineWith = (page: string, start: string) =>
	textOf(page)
		.split('\n')
		.find((line) => line.startsWith(start))!;

const places = metrics.flatMap(
	({ name, event }): Array<[metric: string, place: string, text: unknown, word: string]> => {
		const words = name.toLowerCase();
		const aliases = ['HealthDataService', 'HealthDataServiceTrigger'].map(
			(node) => `nodes/HealthDataService/${node}.node.json`,
		);
		return [
			[name, 'the first paragraph of README.md', textOf('README.md').split('\n')[2], words],
			[name, 'the description of package.json', listOf('package.json', 'description'), words],
			[name, 'the keywords of package.json', listOf('package.json', 'keywords'), words.replaceAll(' ', '-')],
			...aliases.map((file): [string, string, unknown, string] => [
				name,
				`the aliases of ${file}`,
				listOf(file, 'alias'),
				words,
			]),
			[name, 'Trigger On of docs/trigger.md', lineWith('docs/trigger.md', '| Trigger On |'), `**${event}**`],
			[name, 'CHANGELOG.md', textOf('CHANGELOG.md'), name],
		];
	},
);

it.each(places)('%s: in %s', (_, __, text, word) => {
	expect(text).toContain(word);
});
