/** Fields of a node in n8n's editor: filling and reading them. */
import type { Locator, Page } from 'playwright-core';
import { until } from '../../dev/host/process/until';

/** What does a step and notes it. */
export interface Hands {
	click: (what: string, where: Locator) => Promise<void>;
	type: (what: string, where: Locator, text: string) => Promise<void>;
}

export function editFields(page: Page, { click, type }: Hands) {
	const at = (testId: string) => page.getByTestId(testId);
	const field = (name: string) => at(`parameter-input-${name}`);
	const dropdown = (name: string) => field(name).locator('input');
	const open = page.getByRole('option').filter({ visible: true });
	const addLimit = at('fixed-collection-limits').getByPlaceholder('Add limit');

	const fields = {
		/** The name of the chosen option. */
		valueOf: async (name: string) => await dropdown(name).inputValue(),
		/** What a field offers, each with its description. */
		optionsOf: async (name: string) => {
			await dropdown(name).click();
			await open.first().waitFor();
			const texts = await open.allInnerTexts();
			await page.keyboard.press('Escape');
			await open.first().waitFor({ state: 'hidden' });
			return texts;
		},

		chooseOption: async (name: string, option: string) => {
			await click(name, dropdown(name));
			// Behind its name stands its description.
			await click(option, page.getByRole('option', { name: new RegExp(`^${option}`) }));
		},
		/** Waits for the label above a field. */
		seeLabel: async (label: string) => await at('node-parameters').getByText(label, { exact: true }).first().waitFor(),
		switchOn: async (name: string) => await click(name, field(name).locator('.el-switch')),
		enterText: async (name: string, text: string) =>
			await type(name, field(name).locator('textarea, input:not([readonly])').first(), text),
		enterDate: async (name: string, date: string) => {
			await type(name, dropdown(name), date);
			await page.keyboard.press('Enter');
		},
		/** How a resource is named. */
		chooseMode: async (name: string, mode: string) => {
			await click(`the mode of ${name}`, field(name).getByTestId('rlc-mode-selector').locator('input'));
			await click(mode, open.getByText(mode, { exact: true }));
		},
		/** @param result what it evaluates to, which stands below it as soon as the node has it */
		enterExpression: async (name: string, text: string, result = text) => {
			await field(name).hover();
			await click('Expression', at(`${name}-parameter-input-options-container`).getByTestId('radio-button-expression'));
			await type(name, field(name).locator('[contenteditable=true]'), text);
			await at('parameter-input-hint').getByText(result).waitFor();
		},

		/** Pasting makes a text with brackets an expression. @param result as with `enterExpression` */
		pasteExpression: async (name: string, text: string, result: string) => {
			await fields.enterText(name, text);
			await at('parameter-input-hint').getByText(result).waitFor();
		},

		/** n8n fills in its numbers. */
		addLimit: async (name: string) => {
			await click('Add limit', addLimit);
			await click(name, open.getByText(name, { exact: true }));
		},

		openList: async (name: string) => await click(`the list of ${name}`, field(name).getByTestId('rlc-input')),
		searchList: async (words: string) => await type(`"${words}"`, at('rlc-search').filter({ visible: true }), words),
		/** What an open list offers. */
		listed: at('rlc-item').filter({ visible: true }),
		/** Waits until an open list offers these and no others, in this order; a row may say more. */
		listIs: async (texts: string[]) => {
			const isIt = (rows: string[]) => rows.length === texts.length && rows.every((row, at) => row.includes(texts[at]));
			const ask = async () => isIt(await fields.listed.allInnerTexts());
			await until(`a list of ${texts.join(', ')}`, ask);
		},
		listFailure: async () => await at('rlc-error-container').filter({ visible: true }).innerText(),
		pickFromList: async (text: string) => await click(text, fields.listed.filter({ hasText: text })),
	};
	return fields;
}
