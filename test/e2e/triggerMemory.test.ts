/** The trigger on n8n's scheduler in memory, its default. */
import { describeTrigger } from './triggerStory';

describeTrigger('memory', {});
