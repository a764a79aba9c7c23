/** Mail server of the tests: accepts every mail and keeps it decoded, with its text, HTML and attachments. */
import { simpleParser, type ParsedMail } from 'mailparser';
import { SMTPServer } from 'smtp-server';

export async function startMailServer() {
	const mails: ParsedMail[] = [];
	const server = new SMTPServer({
		authOptional: true,
		disabledCommands: ['STARTTLS'],
		onData: (stream, _, done) =>
			void simpleParser(stream, { keepCidLinks: true }).then((mail) => {
				mails.push(mail);
				done();
			}, done),
	});
	const listening = server.listen(0, '127.0.0.1');
	await new Promise((resolve) => listening.once('listening', resolve));
	const { port } = listening.address() as { port: number };
	return {
		mails,
		/** Data of an SMTP credential of n8n. */
		credential: { host: '127.0.0.1', port, secure: false, disableStartTls: true, user: '', password: '' },
		close: async () => await new Promise<void>((resolve) => server.close(() => resolve())),
	};
}
