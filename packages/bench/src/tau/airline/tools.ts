import { sharedTools, type ToolDefinition } from '../tool.ts';
import { airlineBookingTools } from './book.ts';
import { airlineFindTools } from './find.ts';
import { airlineReservationTools } from './reservation.ts';
import { airlineSearchTools } from './search.ts';

/** The 14 tools of the airline domain, by name. */
export const airlineTools: readonly ToolDefinition[] = [
  ...sharedTools,
  ...airlineFindTools,
  ...airlineSearchTools,
  ...airlineBookingTools,
  ...airlineReservationTools,
].sort((a, b) => (a.name < b.name ? -1 : 1));
