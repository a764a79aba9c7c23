/** Pictures of a message in a real browser: a mail as a mail program shows it, and a Slack message. */
import { chromium } from 'playwright-core';
import { findBrowser } from '../../../dev/install/browser';
import { PICTURES } from '../../helpers/folder';
import { openEditor } from '../editor';

/** In pictures, in place of the zone in which it is noon. */
export const SHOWN_ZONE = 'Europe/Berlin';

interface Screen {
	width: number;
	height: number;
	isDark?: boolean;
	/** Heading at the top of the picture; without it, the beginning of the page. */
	heading?: number;
}

/** As Slack shows it, below the name of the app. The texts hold no markup. */
export async function slackPicture(name: string, text: string, screen: Screen) {
	const logo = '<i style="float:left;width:36px;height:36px;border-radius:6px;background:#ea4b71"></i>';
	const app = '<b>n8n</b> <small style="background:#ddd;border-radius:2px;padding:0 3px">APP</small>';
	const style = 'margin:0 0 0 46px;white-space:pre-wrap';
	const page = `<body style="font:15px/1.47 Arial,sans-serif;color:#1d1c1d;margin:14px">${logo}<div style="${style}">${app}\n${text}</div>`;
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

/** The steps of a workflow on n8n's canvas, without notes: a PNG in base64. */
export async function canvasPicture(url: string, workflowId: string, height: number) {
	const editor = await openEditor(url);
	try {
		await editor.logIn();
		return await editor.canvas(workflowId, height);
	} finally {
		await editor.close();
	}
}
