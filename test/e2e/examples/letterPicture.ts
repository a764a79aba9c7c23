/**
 * Pictures of a message, in a real browser: a mail as a mail program shows it, its HTML with the attached pictures in their places,
 * and the text of a Slack message with Slack's marks for bold and code.
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

interface Screen {
	width: number;
	height: number;
	isDark?: boolean;
}

export async function mailPicture(name: string, html: string, attachments: Attachment[], screen: Screen) {
	const shown = attachments.reduce(
		(page, { cid, content }) => page.replaceAll(`cid:${cid}"`, `data:image/png;base64,${content.toString('base64')}"`),
		html,
	);
	return await pictureOf(name, shown, screen);
}

/** Slack has escaped texts, so that they are HTML already. */
export async function slackPicture(name: string, text: string, screen: Screen) {
	const marked = text.replace(/^\*(.*)\*$/gm, '<b>$1</b>').replace(/`([^`]*)`/g, '<code>$1</code>');
	const code = 'code { color: #c01343; border: 1px solid #ddd; border-radius: 3px; padding: 0 3px; font-size: 12px }';
	const page = `<style>body { font: 15px/1.5 Arial, sans-serif; white-space: pre-wrap; margin: 14px } ${code}</style>${marked}`;
	return await pictureOf(name, page, screen);
}

async function pictureOf(name: string, shown: string, { isDark = false, ...viewport }: Screen) {
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
