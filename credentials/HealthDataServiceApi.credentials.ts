/** Credential: its fields and its test. http/authenticate.ts decides where the key may be sent. */
import type {
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	ICredentialType,
	Icon,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';
import {
	authenticate,
	type ServiceCredential,
} from '../nodes/HealthDataService/http/authenticate';

/** A constant of its own, because n8n's linter takes any name with "auth" in it for a password. */
const IGNORE_SSL_ISSUES: INodeProperties = {
	displayName: 'Ignore SSL Issues (Insecure)',
	name: 'allowUnauthorizedCerts',
	type: 'boolean',
	default: false,
	description:
		'Whether to send the key and accept health data even if the certificate of the service cannot be checked. Anyone between n8n and the service can then read both. A node cannot allow it by itself.',
};

const WRONG_KEY =
	"The service did not accept the API key. Check 'API Key' and 'Base URL' together: a key only works in the environment it was made for. A proxy that does not allow this host answers 403, too";

const MOVED =
	"The service redirects to another address. Check 'Base URL': the key is only sent below it";

/** For other statuses n8n shows the words of the answer, and for a connection that fails its code (docs/errors.md). */
const wordsFor = (message: string, ...statuses: number[]) =>
	statuses.map((value) => ({
		type: 'responseCode' as const,
		properties: { value, message },
	}));

export class HealthDataServiceApi implements ICredentialType {
	name = 'healthDataServiceApi';

	displayName = 'Health Data Service API';

	icon: Icon = {
		light: 'file:../icons/healthDataService.svg',
		dark: 'file:../icons/healthDataService.dark.svg',
	};

	documentationUrl =
		'https://github.com/n8n-nodes-health-data-service/n8n-nodes-health-data-service#credential';

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. https://api.example.com',
			description:
				'The address of the Health Data Service that the key belongs to',
		},
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			required: true,
			default: '',
			description: 'The API key of your team',
		},
		{
			displayName: 'Allow Unencrypted HTTP',
			name: 'allowHttp',
			type: 'boolean',
			default: false,
			description:
				'Whether to accept a Base URL that starts with http://. Health data and the key then travel unencrypted, so use this only inside a network that you trust.',
		},
		IGNORE_SSL_ISSUES,
	];

	// A function instead of expressions: the same code for node, trigger, pickers, this test and n8n's HTTP Request node.
	authenticate = async (
		credential: ICredentialDataDecryptedObject,
		request: IHttpRequestOptions,
	) => authenticate(credential as unknown as ServiceCredential, request);

	test: ICredentialTestRequest = {
		request: {
			url: '/v2/user',
			qs: { limit: 1 },
			headers: { Accept: 'application/json' },
		},
		// n8n takes both types in one list, but its own type does not.
		rules: [
			...wordsFor(MOVED, 301, 302, 303, 307, 308),
			...wordsFor(WRONG_KEY, 401, 403),
			...wordsFor(
				"The service has nothing at this address. Check 'Base URL': enter the address from the service's documentation",
				404,
			),
			...wordsFor(
				"A proxy between n8n and the service asks for a password. Ask n8n's administrator (n8n cannot log in with NTLM)",
				407,
			),
			{
				type: 'responseSuccessBody',
				properties: {
					key: 'users',
					value: undefined,
					message:
						"The answer is not that of the Health Data Service. Check 'Base URL': it must be the address of the service itself, not of a web site or login page",
				},
			},
		] as ICredentialTestRequest['rules'],
	};
}
