package sluice.http;

import org.junit.jupiter.api.Timeout;

/// What the server promises to any client that speaks TCP, on every backend.
@Timeout(240)
abstract class HttpContract extends HttpContractDownloads {}
