import { routes } from '../routes/orders.ts';

if (!routes.some((route) => route.path === '/orders')) throw new Error('GET /orders is gone');
