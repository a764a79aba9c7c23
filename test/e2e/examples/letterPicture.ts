/** Pictures of a message in a real browser: a mail as a mail program shows it, and a Slack message with its bold and code. */
import { chromium } from 'playwright-core';
import { findBrowser } from '../../../dev/install/browser';
import { PICTURES } from '../../helpers/folder';

/** In pictures, in place of the zone in which it is noon. */
export const SHOWN_ZONE = 'Europe/Berlin';

interface Screen {
	width: number;
	height: number;
	isDark?: boolean;
	/** Heading at the top of the picture; without it, the beginning of the page. */
	heading?: number;
}

/** Slack has escaped texts, so that they are HTML already. */
export async function slackPicture(name: string, text: string, screen: Screen) {
	const marked = text.replace(/\*([^*\n]+)\*/g, '<b>$1</b>').replace(/`([^`]*)`/g, '<code>$1</code>');
	const code = 'code { color: #c01343; border: 1px solid #ddd; border-radius: 3px; padding: 0 3px; font-size: 12px }';
	const page = `<style>body { font: 15px/1.5 Arial, sans-serif; white-space: pre-wrap; margin: 14px } ${code}</style>${marked}`;
	return await mailPicture(name, page, screen);
}

/** @returns the width of the page: that of the screen where nothing is wider */
export async function mailPicture(name: string, html: string, { isDark = false, heading, ...viewport }: Screen) {
	const browser = await chromium.launch({ executablePath: findBrowser() });
	try {
		const page = await browser.newPage({ viewport, colorScheme: isDark ? 'dark' : 'light' });
		await page.setContent(html);
		const width = await page.evaluate<number>('document.documentElement.scrollWidth');
		if (heading !== undefined) await page.evaluate(`document.querySelectorAll('h2')[${heading}].scrollIntoView()`);
		await page.screenshot({ path: `${PICTURES}/${name}.png` });
		return { width };
	} finally {
		await browser.close();
	}
}
