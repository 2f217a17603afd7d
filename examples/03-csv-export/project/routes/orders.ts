export const routes = [{ method: 'GET', path: '/orders', handler: () => ({ json: ['order 1', 'order 2'] }) }];
