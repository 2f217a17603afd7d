/**
 * Lends the connector a `fetch` that signs in by OAuth where a server asks for it, with the MCP client's own functions.
 * There is no person: the suite's authorization page redirects at once, and the code is taken from there.
 */
import {
  auth,
  type AuthResult,
  ClientCredentialsProvider,
  computeScopeUnion,
  extractWWWAuthenticateParams,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  PrivateKeyJwtProvider,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
} from '@modelcontextprotocol/client';

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;
export type AuthContext = {
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly private_key_pem?: string;
  readonly signing_algorithm?: string;
};

const REDIRECT = 'http://localhost:3000/callback';
const METADATA_URL = 'https://conformance-test.local/client-metadata.json';
/** A server may ask for more scope a few times; after that it does not want to be satisfied. */
const MOST_SIGN_INS = 3;

type Redirected = { code: string; iss: string | null };
type Headless = { readonly provider: OAuthClientProvider; readonly redirected: () => Redirected | null };

/** A provider for the kind of credentials that the suite hands out. */
function providerFor(context: AuthContext): Headless {
  const {
    client_id: clientId,
    client_secret: clientSecret,
    private_key_pem: privateKey,
    signing_algorithm: algorithm,
  } = context;
  const none = { redirected: () => null };
  if (clientId !== undefined && privateKey !== undefined)
    return {
      provider: new PrivateKeyJwtProvider({ clientId, privateKey, algorithm: algorithm ?? 'ES256' }),
      ...none,
    };
  if (
    clientId !== undefined &&
    clientSecret !== undefined &&
    process.env['MCP_CONFORMANCE_SCENARIO']?.includes('client-credentials') === true
  )
    return { provider: new ClientCredentialsProvider({ clientId, clientSecret }), ...none };
  const known =
    clientId === undefined
      ? undefined
      : { client_id: clientId, ...(clientSecret === undefined ? {} : { client_secret: clientSecret }) };
  return codeProvider(known);
}

function codeProvider(known: StoredOAuthClientInformation | undefined): Headless {
  const kept: {
    client: StoredOAuthClientInformation | undefined;
    tokens: StoredOAuthTokens | undefined;
    verifier: string;
    redirected: Redirected | null;
    discovery: OAuthDiscoveryState | undefined;
  } = {
    client: known,
    tokens: undefined,
    verifier: '',
    redirected: null,
    discovery: undefined,
  };
  const clientMetadata: OAuthClientMetadata = {
    client_name: 'skillstate',
    redirect_uris: [REDIRECT],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    application_type: 'native',
  };
  const provider: OAuthClientProvider = {
    redirectUrl: REDIRECT,
    clientMetadataUrl: METADATA_URL,
    clientMetadata,
    clientInformation: (ctx) =>
      kept.client?.issuer === undefined || ctx === undefined || kept.client.issuer === ctx.issuer
        ? kept.client
        : undefined,
    saveClientInformation: (client) => {
      kept.client = client;
    },
    tokens: (ctx) =>
      kept.tokens?.issuer === undefined || ctx === undefined || kept.tokens.issuer === ctx.issuer
        ? kept.tokens
        : undefined,
    saveTokens: (tokens) => {
      kept.tokens = tokens;
    },
    redirectToAuthorization: async (url) => {
      const response = await fetch(url, { redirect: 'manual' });
      const to = new URL(response.headers.get('location') ?? `${REDIRECT}?error=no-redirect`);
      const code = to.searchParams.get('code');
      if (code === null) throw new Error(`no code: ${to.search}`);
      kept.redirected = { code, iss: to.searchParams.get('iss') };
    },
    saveCodeVerifier: (verifier) => {
      kept.verifier = verifier;
    },
    codeVerifier: () => kept.verifier,
    saveDiscoveryState: (state) => {
      kept.discovery = state;
    },
    discoveryState: () => kept.discovery,
    invalidateCredentials: (scope) => {
      if (scope === 'all' || scope === 'client') kept.client = known;
      if (scope === 'all' || scope === 'tokens') kept.tokens = undefined;
      if (scope === 'all' || scope === 'discovery') kept.discovery = undefined;
    },
  };
  return { provider, redirected: () => kept.redirected };
}

export function signingIn(serverUrl: string, context: AuthContext): Fetch {
  const { provider, redirected } = providerFor(context);
  let granted: string | undefined;
  const signIn = async (response: Response): Promise<AuthResult> => {
    const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
    const more = response.status === 403;
    if (!more) await provider.invalidateCredentials?.('discovery');
    granted = more ? computeScopeUnion(granted, (await provider.tokens())?.scope, scope) : scope;
    const asked = {
      serverUrl,
      ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
      ...(granted === undefined ? {} : { scope: granted }),
    };
    const result = await auth(provider, { ...asked, forceReauthorization: more });
    const back = redirected();
    if (result !== 'REDIRECT' || back === null) return result;
    const code = { authorizationCode: back.code, ...(back.iss === null ? {} : { iss: back.iss }) };
    return auth(provider, { ...asked, ...code });
  };
  return async (url, init) => {
    for (let signIns = 0; ; signIns++) {
      const headers = new Headers(init?.headers);
      const tokens = await provider.tokens();
      if (tokens !== undefined) headers.set('authorization', `Bearer ${tokens.access_token}`);
      const response = await fetch(url, { ...init, headers });
      if ((response.status !== 401 && response.status !== 403) || signIns >= MOST_SIGN_INS) return response;
      if ((await signIn(response)) !== 'AUTHORIZED') return response;
    }
  };
}
