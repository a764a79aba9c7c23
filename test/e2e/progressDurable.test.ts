/**
 * Progress of the trigger on n8n's durable scheduler.
 */
import { DURABLE_SCHEDULER } from '../../dev/host/n8nEnvironment';
import { describeProgress } from './progressStory';

describeProgress('durable', DURABLE_SCHEDULER);
