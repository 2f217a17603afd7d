export function requireAdmin(user: { role: string }): void {
  if (user.role !== 'admin') throw new Error('403');
}
