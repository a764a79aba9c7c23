/** Lines of the trigger in n8n's log: they name workflow and node, and a provider that no user has is logged once. */
import { useLogLines } from '../helpers/logLines';
import { allUsers, MINUTE, onBothSchedulers, watch } from '../helpers/watch';

onBothSchedulers((scheduler) => {
	const w = watch(scheduler);
	const log = useLogLines();
	const slug = (value: string) => ({ ...allUsers, provider: { __rl: true, mode: 'slug', value } });

	it.each(['Withings', 'OMRON'])('a provider that no user has (%s): one line, not one for each poll', async (typed) => {
		const n8n = w.trigger(slug(typed));
		await n8n.start();
		w.pass(MINUTE);
		await n8n.tick();
		expect(n8n.reported).toEqual([]);
		expect(log).toEqual([
			`Workflow "Test", node "Node": No user who was read has the provider "${typed}" connected, and no reading has it. ` +
				"'Provider' takes the service's slug, in the same upper and lower case: User → List shows the slugs under connected_sources.",
		]);
	});

	it('a service that is down at a start: one line that ends with a full stop', async () => {
		w.used.sandbox.switches.fault = () => ({ status: 503 });
		await w.trigger().start('init');
		expect(log).toEqual([
			expect.stringMatching(
				/^Workflow "Test", node "Node": The service .* Tried 2 times in [\d,]+ seconds?\. .* The next poll tries again\.$/,
			),
		]);
		expect(log[0]).not.toContain('..');
	});
});
