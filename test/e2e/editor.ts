/** n8n's editor in a real browser: what a user does there, step by step, and what they then see. */
import { chromium, selectors, type Locator, type Page } from 'playwright-core';
import { findBrowser } from '../../dev/install/browser';
import { OWNER } from '../../dev/host/n8n';
import { PATIENCE_MS, until } from '../../dev/host/process/until';
import { PICTURES } from '../helpers/folder';
import { PAGES, textOf } from '../helpers/pages';
import { editFields } from './editorFields';

selectors.setTestIdAttribute('data-test-id');

/** Nothing slides or fades: a click on what still moves may miss it. */
const KEEP_STILL = `
	const sheet = new CSSStyleSheet();
	sheet.replaceSync('*, ::before, ::after { transition-duration: 0s !important; animation-duration: 0s !important; animation-iteration-count: 1 !important; }');
	document.adoptedStyleSheets = [sheet];`;

/** Text and values of fields on the screen. Runs in the browser. */
const SHOWN_TEXT = `[document.body.innerText, ...[...document.querySelectorAll('input, textarea')].map((field) => field.value)].join('\\n')`;

/** The text that the pages give for a picture. */
const descriptionOf = (picture: string) =>
	PAGES.flatMap(
		(page) => new RegExp(`!\\[([^\\]]*)\\]\\([^)]*/${picture}\\.png\\)`).exec(textOf(page))?.[1] ?? [],
	).join();

export type Editor = Awaited<ReturnType<typeof openEditor>>;

/** The editor follows a click a moment later: asks until the answer is as expected. */
export async function soon<T>(ask: () => Promise<T>, expected: unknown) {
	let compare = () => {};
	const isSo = async () => {
		const answer = await ask();
		compare = () => expect(answer).toEqual(expected);
		try {
			compare();
			return true;
		} catch {
			return false;
		}
	};
	await until('the editor as expected', isSo).catch((cause: unknown) => {
		compare();
		throw new Error('The editor could not be asked', { cause });
	});
}

export async function openEditor(url: string) {
	const browser = await chromium.launch({ executablePath: findBrowser() });
	const page: Page = await browser.newPage({
		viewport: { width: 1280, height: 800 },
		colorScheme: 'light',
		reducedMotion: 'reduce',
	});
	page.setDefaultTimeout(PATIENCE_MS);
	await page.addInitScript({ content: KEEP_STILL });

	/** Every click and every text typed, in order. Going to a field and typing into it is one action. */
	const actions: string[] = [];
	const click = async (what: string, where: Locator) => {
		await where.click();
		actions.push(`click ${what}`);
	};
	const type = async (what: string, where: Locator, text: string) => {
		await where.fill(text);
		actions.push(`type ${what}`);
	};

	const at = (testId: string) => page.getByTestId(testId);
	const dialog = at('credential-edit-dialog');
	const output = at('output-panel');

	/** Waits for a message in the corner, and closes it before it covers something. */
	const seeToast = async (text: string | RegExp) => {
		const toast = page.locator('.el-notification').filter({ hasText: text }).first();
		await toast.waitFor().catch(async (cause: unknown) => {
			throw new Error(`n8n did not say '${text}'. On the screen:\n${await page.locator('body').innerText()}`, {
				cause,
			});
		});
		// Most go by themselves after a few seconds, an error stays. A click by the mouse may miss what is still sliding in.
		const isClosed = async () => {
			if (!(await toast.isVisible())) return true;
			const cross = toast.locator('.el-notification__closeBtn');
			await cross.dispatchEvent('click', {}, { timeout: 1_000 }).catch(() => {});
			return false;
		};
		await until(`'${text}' closed`, isClosed);
	};

	const editor = {
		actions,
		close: async () => await browser.close(),

		/**
		 * A part of the screen, measured from the top left corner of an element, as `<name>.png`.
		 *
		 * @param words what the pages say is in the picture, and the screen shows
		 */
		picture: async (
			name: string,
			[testId, left, top, width, height]: [string, number, number, number, number],
			words: string[] = [],
		) => {
			await page.mouse.move(0, 0);
			const shown: string = await page.evaluate(SHOWN_TEXT);
			for (const word of words) {
				expect(descriptionOf(name)).toContain(word);
				expect(shown).toContain(word);
			}
			const { x, y } = (await at(testId).boundingBox())!;
			const path = `${PICTURES}/${name}.png`;
			await page.screenshot({ path, clip: { x: x + left, y: y + top, width, height }, animations: 'disabled' });
		},
		/** The strip of a workflow's canvas that has its steps, below the first note and as wide: a PNG in base64. */
		canvas: async (workflowId: string, height: number) => {
			await page.goto(`${url}/workflow/${workflowId}`);
			const note = page.locator('[data-node-type$=".stickyNote"]').first();
			await note.waitFor();
			const { x, y, ...box } = (await note.boundingBox())!;
			const clip = { x, y: y + box.height, width: box.width, height };
			return (await page.screenshot({ clip, animations: 'disabled' })).toString('base64');
		},
		/** The size of the window, and whether the user's system is in dark mode. */
		look: async ({ width = 1280, height = 800, dark = false }) => {
			await page.setViewportSize({ width, height });
			await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
		},

		logIn: async () => {
			await page.goto(`${url}/signin`);
			await page.fill('input[name=emailOrLdapLoginId]', OWNER.email);
			await page.fill('input[name=password]', OWNER.password);
			await at('form-submit-button').click();
			await page.waitForURL(/home|workflow/);
		},

		/** An empty canvas with the nodes panel beside it; counting begins here. */
		openNodesPanel: async (button = 'Add first step…') => {
			await page.goto(`${url}/workflow/new`);
			await page.getByText(button, { exact: true }).waitFor();
			await at('canvas-add-button').click();
			await at('node-creator-search-bar').waitFor();
			actions.length = 0;
		},
		searchNodes: async (words: string) => await type(`"${words}"`, at('node-creator-search-bar'), words),
		foundNode: (name: string) => at('node-creator-item-name').getByText(name, { exact: true }),
		pickNode: async (name: string) => await click(`node ${name}`, editor.foundNode(name)),
		/** On an empty canvas n8n offers the triggers of a node first. */
		openActions: async () => await click('Actions', at('node-creator-category-item').filter({ hasText: 'Actions' })),
		actionNames: async () => {
			const names = page.locator('[data-keyboard-nav-type=action]');
			await names.first().waitFor();
			return await names.allInnerTexts();
		},
		pickAction: async (name: string) => {
			await click(`action ${name}`, page.locator('[data-keyboard-nav-type=action]').getByText(name, { exact: true }));
			await at('node-parameters').waitFor();
		},
		/** All of the above, for a later test. */
		addNode: async (node: string, action: string) => {
			await editor.openNodesPanel();
			await editor.searchNodes(node);
			await editor.pickNode(node);
			await editor.openActions();
			await editor.pickAction(action);
		},

		createCredential: async () => await click('Connect', at('node-credentials-slot').getByRole('button').first()),
		editCredential: async () => await click('the pencil', at('credential-edit-button')),
		fillCredential: async (name: string, value: string) =>
			await type(name, dialog.getByTestId(`parameter-input-${name}`).locator('input'), value),
		saveCredential: async () => {
			await click('Save', at('credential-save-button'));
			await seeToast('Credential');
		},
		credentialText: async () => await dialog.innerText(),
		/** What the dialog says about a credential that does not work. */
		credentialFailure: async () => {
			await dialog.getByText('Couldn’t connect with these settings').waitFor();
			await click('More details', dialog.getByText('More details'));
			await dialog.getByText('More details').waitFor({ state: 'hidden' });
			return await dialog.innerText();
		},
		/** The dialog of a new credential that works closes by itself. */
		credentialChosen: async () => {
			await dialog.waitFor({ state: 'hidden' });
			await at('node-credentials-select').waitFor();
		},
		credentialSuccess: async () => await at('credentials-config-container-test-success').waitFor(),

		...editFields(page, { click, type }),

		/** Moves the fields to the left, so that the output has more room. */
		widenOutput: async () => {
			await at('panel-drag-button').hover();
			await page.mouse.down();
			await page.mouse.move(0, 0, { steps: 10 });
			await page.mouse.up();
		},
		closeNode: async () => {
			await click('the cross', at('ndv-close-button'));
			await at('node-parameters').waitFor({ state: 'hidden' });
		},
		publish: async (button: string) => {
			await click(button, at('workflow-open-publish-modal-button').filter({ hasText: button }));
			await click(button, at('workflow-publish-button').filter({ hasText: button }));
		},
		openNextStepPanel: async () => await click('the plus', at('node-creator-plus-button')),

		executeStep: async () => await editor.clickExecute('Execute step'),
		/** @param name what the button says */
		clickExecute: async (name: string) => await click(name, at('node-execute-button').filter({ hasText: name })),
		fetchTestEvent: async () => await click('Fetch Test Event', at('node-execute-button')),
		/** Names of the columns and the cells of the first page, after the node has run. */
		outputTable: async () => {
			// On a slow machine the editor hears of the end before it has noted that one node was asked for, and says 'Workflow'.
			await seeToast(/(Node|Workflow) executed successfully/);
			const texts = async (cells: Locator) => (await cells.allInnerTexts()).map((text) => text.trim()).filter(Boolean);
			await output.locator('tbody td').first().waitFor();
			const columns = await texts(output.locator('thead th'));
			const lines = await output.locator('tbody tr').all();
			return { columns, rows: await Promise.all(lines.map(async (line) => await texts(line.locator('td')))) };
		},
		outputError: async () => {
			await seeToast('Problem in node');
			const message = await output.getByTestId('node-error-message').innerText();
			return { message, description: await output.getByTestId('node-error-description').innerText() };
		},
	};
	return editor;
}
