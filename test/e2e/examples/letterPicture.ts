/**
 * Picture of a mail, as a mail program shows it: its HTML with the attached pictures in their places, in a real browser.
 */
import type { Attachment } from 'mailparser';
import { chromium } from 'playwright-core';
import { findBrowser } from '../../../dev/install/browser';
import { PICTURES } from '../../helpers/folder';

/** Runs in the browser: sizes of the pictures, once it has decoded them, and the width of the page. */
const MEASURED = `Promise.all([...document.images].map(async (image) => {
	await image.decode();
	return [image.naturalWidth, image.naturalHeight];
})).then((sizes) => ({ sizes, width: document.documentElement.scrollWidth }))`;

export async function pictureOf(
	name: string,
	html: string,
	attachments: Attachment[],
	{ isDark = false, ...viewport }: { width: number; height: number; isDark?: boolean },
) {
	const shown = attachments.reduce(
		(page, { cid, content }) => page.replaceAll(`cid:${cid}"`, `data:image/png;base64,${content.toString('base64')}"`),
		html,
	);
	const browser = await chromium.launch({ executablePath: findBrowser() });
	try {
		const page = await browser.newPage({ viewport, colorScheme: isDark ? 'dark' : 'light' });
		await page.setContent(shown);
		const measured: { sizes: number[][]; width: number } = await page.evaluate(MEASURED);
		await page.screenshot({ path: `${PICTURES}/${name}.png` });
		return measured;
	} finally {
		await browser.close();
	}
}
