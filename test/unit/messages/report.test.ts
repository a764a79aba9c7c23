/** Report of a read: each section and count against a count of its own, over random teams. */
import type { IDataObject } from 'n8n-workflow';
import { personRows, teamReport, type ReportOptions } from '../../../nodes/HealthDataService/messages/report';
import type { UserResult } from '../../../nodes/HealthDataService/service/readings/readUsers';
import type { SelectedUser } from '../../../nodes/HealthDataService/service/users/selection';
import { localTimeIn } from '../../../nodes/HealthDataService/shared/dateTime';
import { Problem } from '../../../nodes/HealthDataService/shared/problem';
import { bloodPressure } from '../../helpers/metrics';
import { fc } from '../../helpers/properties';

const DAY_MS = 24 * 3_600_000;
/** Monday to Sunday, and the week before. */
const [BEFORE, START, END] = [9, 16, 23].map((day) => Date.UTC(2026, 10, day));
const within = (from: number, to: number) => (one: { time?: number }) => one.time! >= from && one.time! < to;

const options: ReportOptions = {
	metric: bloodPressure,
	limits: { mean: [135, 85], high: [180, 110], low: [90, 50], enough: [3, 2] },
	provider: '',
	sourceTypes: [],
	onlyStatus: [],
	compareWith: 'period',
	rangeOf: () => ({
		zone: 'UTC',
		localTimeOf: localTimeIn('UTC'),
		from: '2026-11-16',
		to: '2026-11-22',
		query: { start_date: new Date(BEFORE).toISOString(), end_date: new Date(END - 1).toISOString() },
		isAsked: within(START, END),
		before: { from: '2026-11-09', to: '2026-11-15', has: within(BEFORE, START) },
	}),
};

interface Given {
	readings: Array<{ time: number; systolic: number; diastolic: number }>;
	isConnected: boolean;
	isFailed: boolean;
}
const SIGNS = ['', '_', ' *b*', '<!channel>', '\n• x: 250/140', '@here', '.com', '=1+1'];

/** Rounded to a second that is not 0, so that no two are copies. */
const reading = fc.record({
	time: fc.integer({ min: BEFORE / 1000, max: END / 1000 - 1 }).map((second) => second * 1000),
	systolic: fc.constantFrom(0, 85, 90, 91, 120, 134, 135, 150, 179, 180, 220),
	diastolic: fc.constantFrom(0, 45, 50, 51, 80, 84, 85, 95, 109, 110, 130),
});
const team = fc.array(
	fc.record({
		readings: fc.uniqueArray(reading, { maxLength: 8, selector: ({ time }) => Math.floor(time / 100_000) }),
		isConnected: fc.boolean(),
		isFailed: fc.integer({ max: 9, min: 0 }).map((one) => one === 0),
	}),
	{ maxLength: 60 },
);

function resultsOf(given: Given[]) {
	return given.map(({ readings, isConnected, isFailed }, at): UserResult => {
		const name = `person-${at}${SIGNS[at % SIGNS.length]}`;
		const user = { user_id: `${String(at).padStart(8, '0')}-0000-4000-8000-000000000000`, client_user_id: name };
		const record = { connected_sources: isConnected ? [{ source: { slug: 'omron' } }] : [] } as IDataObject;
		const selected: SelectedUser = { user, record, place: at + 1 };
		const data = readings.map(({ time, ...values }) => ({
			timestamp: new Date(time).toISOString(),
			...values,
			unit: 'mmHg',
		}));
		const rows = personRows(options, [{ slug: 'omron', data, source: { type: 'cuff' }, extras: {} }], selected);
		const problem = isFailed ? new Problem('The service was slow', 'Wait') : undefined;
		return { ...selected, rows: isFailed ? [] : rows, problem, isGone: false, tookMs: 0, endedAt: 0 };
	});
}

/** What each section must have, by other means. */
function expectedOf(given: Given[]) {
	const sections: Record<string, number[]> = {};
	const add = (title: string, at: number) => (sections[title] ??= []).push(at);
	let few = 0;
	for (const [at, { readings, isFailed }] of given.entries()) {
		if (isFailed) {
			add('Could not be read', at);
			continue;
		}
		const isRight = (one: Given['readings'][0]) =>
			one.systolic >= 20 && one.diastolic >= 10 && one.systolic > one.diastolic;
		const now = readings.filter(within(START, END));
		const counted = now.filter(isRight);
		const before = readings.filter(within(BEFORE, START)).filter(isRight);
		const isHigh = (some: Given['readings']) =>
			(['systolic', 'diastolic'] as const).some((column) => {
				const mean = Math.round((some.reduce((sum, one) => sum + one[column], 0) / some.length) * 10) / 10;
				return some.length > 0 && mean >= { systolic: 135, diastolic: 85 }[column];
			});
		const beyond = counted.filter(
			({ systolic, diastolic }) => systolic >= 180 || diastolic >= 110 || systolic <= 90 || diastolic <= 50,
		);
		if (beyond.some(({ time }) => time >= END - DAY_MS)) add('last 24 hours', at);
		else if (beyond.length > 0) add('limits, earlier', at);
		if (counted.length > 0 && counted.length < now.length) add('Some readings are left out', at);
		const days = new Set(counted.map(({ time }) => Math.floor(time / DAY_MS)));
		if (counted.length > 0 && (counted.length < 3 || days.size < 2)) few++;
		if (counted.length === 0 && before.length > 0) add('No usable reading, but some before', at);
		else if (counted.length === 0) add('No usable reading, as before', at);
		else if (isHigh(counted)) add(isHigh(before) ? 'High mean, as before' : 'High mean, new', at);
		else add('in range', at);
	}
	return { sections, few };
}

/** Of one person with one reading. */
function reportOf(reading: IDataObject) {
	const range = { ...options.rangeOf({ user: { user_id: '', client_user_id: null }, place: 0 }), isAsked: () => true };
	const timeless = { ...options, rangeOf: () => range };
	const groups = [{ slug: 'omron', data: [reading], source: { type: 'cuff' }, extras: {} }];
	const selected = { user: { user_id: 'u', client_user_id: 'anna' }, place: 1 };
	const rows = personRows(timeless, groups, selected);
	return teamReport(timeless, { users: () => [] }, [{ ...selected, rows, isGone: false, tookMs: 0, endedAt: 0 }]);
}

it('a reading without a time may be of the last 24 hours', () => {
	const { text } = reportOf({ timestamp: 'soon', systolic: 190, diastolic: 100, unit: 'mmHg' });
	expect(text).toContain('last 24 hours of the period: 1\n• anna: 190/100 (no time) high; by cuff');
});

it('a missing value is a dash in a cell, as in a line', () => {
	const { html } = reportOf({ timestamp: '2026-11-18T08:00:00Z', systolic: 200, diastolic: null, unit: 'mmHg' });
	expect(html).toContain('<br><b>200/–</b></td>');
});

it('people beyond limits are all named before people who were without readings already', () => {
	const beyond = [192, 92, 93].map((systolic, at) => ({ time: END - 1000 - at * 100_000, systolic, diastolic: 70 }));
	const given = Array.from({ length: 345 }, (_, at): Given => {
		return { readings: at < 45 ? beyond : [], isConnected: at % 2 > 0, isFailed: false };
	});
	const text = String(teamReport(options, { users: () => [] }, resultsOf(given)).text);
	const counts = text.split('\n\n').map((part) => [/: \d+$/m.exec(part)?.[0], part.match(/^• person/gm)?.length]);
	expect(counts[1]).toEqual([': 45', 45]);
	expect(counts.at(-1)).toEqual([': 300', expect.any(Number)]);
});

it('each section has its people, each count is right, and nothing is cut in silence', () => {
	fc.assert(
		fc.property(team, (given) => {
			const { text, html, subject, ...counts } = teamReport(options, { users: () => [] }, resultsOf(given)) as Record<
				string,
				string
			>;
			const { sections, few } = expectedOf(given);
			const sizeOf = (...titles: string[]) => titles.reduce((sum, title) => sum + (sections[title]?.length ?? 0), 0);
			const high = ['High mean, new', 'High mean, as before'];
			const quiet = ['No usable reading, but some before', 'No usable reading, as before'];
			expect(counts).toMatchObject({
				people: given.length,
				not_read: sizeOf('Could not be read'),
				reached: sizeOf('last 24 hours', 'limits, earlier'),
				high: sizeOf(...high),
				newly_high: sizeOf(high[0]),
				in_range: sizeOf('in range'),
				too_few: few,
				without_readings: sizeOf(...quiet),
				newly_without_readings: sizeOf(quiet[0]),
			});
			const { not_read, high: all, in_range, without_readings } = counts as unknown as Record<string, number>;
			expect(not_read + all + in_range + without_readings).toBe(given.length);
			expect(text.length).toBeLessThanOrEqual(3800);
			expect(Buffer.byteLength(html)).toBeLessThanOrEqual(95_000);
			expect(subject).toMatch(/^[ -~]{1,140}$/);
			delete sections['in range'];
			const parts = [text.split('\n\n').slice(1), html.split('<h2>').slice(1)];
			for (const [isHtml, made] of parts.entries()) {
				expect(made).toHaveLength(Object.keys(sections).length);
				for (const [title, people] of Object.entries(sections)) {
					const part = made.find((one) => one.split('\n')[0].includes(title))!;
					expect(part.split('\n')[0]).toContain(`: ${people.length}`);
					const named = [...part.matchAll(/person-(\d+)/g)].map(([, at]) => Number(at));
					const left = Number(/(?:• |<p>|, )… and (\d+) more/.exec(part)?.[1] ?? 0);
					expect(named.length + left).toBe(people.length);
					expect(people).toEqual(expect.arrayContaining(named));
					if (isHtml) expect(left).toBe(0);
					if (left > 0) expect(text).toContain('Shortened to fit here.');
				}
			}
			// Nothing of a name but letters, digits and harmless signs.
			expect(text).not.toMatch(/[*_<>@=]|\.com|^ ?x/m);
		}),
		{ numRuns: 50 },
	);
});
