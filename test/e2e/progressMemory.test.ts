/**
 * Progress of the trigger on n8n's scheduler in memory, its default.
 */
import { describeProgress } from './progressStory';

describeProgress('memory', {});
