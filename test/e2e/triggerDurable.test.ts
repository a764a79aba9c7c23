/** The trigger on n8n's durable scheduler. */
import { DURABLE_SCHEDULER } from '../../dev/host/n8nEnvironment';
import { describeTrigger } from './triggerStory';

describeTrigger('durable', DURABLE_SCHEDULER);
