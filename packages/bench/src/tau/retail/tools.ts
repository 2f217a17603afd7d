import { sharedTools, type ToolDefinition } from '../tool.ts';
import { retailAddressTools } from './address.ts';
import { retailFindTools } from './find.ts';
import { retailItemTools } from './items.ts';
import { retailPaymentTools } from './payment.ts';

/** The 16 tools of the retail domain, by name. */
export const retailTools: readonly ToolDefinition[] = [
  ...sharedTools,
  ...retailFindTools,
  ...retailAddressTools,
  ...retailPaymentTools,
  ...retailItemTools,
].sort((a, b) => (a.name < b.name ? -1 : 1));
