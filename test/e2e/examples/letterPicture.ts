/**
 * Picture of a mail, as a mail program shows it: its HTML with the attached pictures in their places, in a real browser.
 */
import type { Attachment } from 'mailparser';
import { chromium } from 'playwright-core';
import { findBrowser } from '../../../dev/install/browser';
import { PICTURES } from '../../helpers/folder';

/** Runs in the browser. */
const DECODED_SIZES = `Promise.all([...document.images].map(async (image) => {
	await image.decode();
	return [image.naturalWidth, image.naturalHeight];
}))`;

/** @returns width and height of each picture in the mail, once the browser has decoded it */
export async function pictureOf(name: string, html: string, attachments: Attachment[]) {
	const shown = attachments.reduce(
		(page, { cid, content }) => page.replaceAll(`cid:${cid}"`, `data:image/png;base64,${content.toString('base64')}"`),
		html,
	);
	const browser = await chromium.launch({ executablePath: findBrowser() });
	try {
		const page = await browser.newPage({ viewport: { width: 690, height: 640 } });
		await page.setContent(`<body style="margin:20px 24px;background:#fff">${shown}</body>`);
		const sizes: number[][] = await page.evaluate(DECODED_SIZES);
		await page.screenshot({ path: `${PICTURES}/${name}.png` });
		return sizes;
	} finally {
		await browser.close();
	}
}
