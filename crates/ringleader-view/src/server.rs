//! The server: on this machine only, for pages of its own only, with limits on everything.
//!
//! Every request is short, since computing stops when its time is up and the page asks again; so there is nothing to be cancelled
//! and nothing to be cleaned up when a page goes away. No request reads a file: the pages are part of the binary.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, FromRequestParts, Path, Query, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post, put};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use ringleader::catalogue::Catalogue;
use ringleader::value::Value;
use ringleader_records::error::Error;
use ringleader_records::json;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::sync::Semaphore;

use crate::description::Description;
use crate::run::{Ask, Run};
use crate::runs::{Runs, open};
use crate::{MAX_BODY, export, frame, page};

/// The most connections at a time; a browser opens six for a tab.
const MAX_CONNECTIONS: usize = 256;
/// How long the head or the body of a request may take.
const PATIENCE: Duration = Duration::from_secs(20);
/// The longest that one request computes.
const MOST: Duration = Duration::from_millis(250);
/// What it computes if nothing is said.
const USUAL: Duration = Duration::from_millis(25);
/// The longest that it takes to make a file, or a picture of many steps.
const LONG: Duration = Duration::from_secs(5);

/// Tells browsers to be strict.
const STRICT: [(&str, &str); 5] = [
    (
        "content-security-policy",
        "default-src 'self'; img-src 'self' data: blob:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    ),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cache-control", "no-store"),
    ("cross-origin-resource-policy", "same-origin"),
];

/// A server for one list of protocols, bound to a port of this machine.
pub struct Server {
    listener: TcpListener,
    served: Served,
}

/// What all requests share.
struct Served {
    catalogue: Catalogue,
    runs: Runs,
    /// What is shown first.
    opening: Value,
    /// So many requests compute at a time.
    seats: Arc<Semaphore>,
    port: u16,
}

type Shares = State<Arc<Served>>;
/// A request about one run.
type OfRun = (Shares, Path<String>);

impl Server {
    /// Binds to a port of this machine, or to any free one if it is 0. Pages show the opening first, unless their address says
    /// otherwise.
    ///
    /// # Errors
    /// If the port cannot be used.
    pub fn bind(catalogue: Catalogue, opening: &Description, port: u16) -> Result<Self, Error> {
        let refused = |error| Error::new(format!("cannot listen on port {port}: {error}"));
        let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).map_err(refused)?;
        let port = listener.local_addr().map_err(refused)?.port();
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        let (runs, seats) = (Runs::default(), Arc::new(Semaphore::new(cores)));
        Ok(Self { listener, served: Served { catalogue, runs, opening: opening.opening(), seats, port } })
    }

    /// The port in use.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.served.port
    }

    /// Serves until it is told to stop, which it asks ten times a second.
    ///
    /// # Errors
    /// If the operating system does not let it.
    pub fn serve(self, stop: &dyn Fn() -> bool) -> Result<(), Error> {
        let failed = |error: std::io::Error| Error::new(format!("the server cannot run: {error}"));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
        runtime.block_on(accept(self.listener, router(Arc::new(self.served)), stop)).map_err(failed)?;
        runtime.shutdown_timeout(MOST);
        Ok(())
    }
}

/// Takes connections until it is told to stop. One that cannot be taken (too many open files) is no reason to stop.
async fn accept(listener: TcpListener, router: Router, stop: &dyn Fn() -> bool) -> std::io::Result<()> {
    listener.set_nonblocking(true)?;
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let seats = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    while !stop() {
        let Ok(accepted) = tokio::time::timeout(Duration::from_millis(100), listener.accept()).await else { continue };
        let (Ok((stream, _)), Ok(seat)) = (accepted, seats.clone().try_acquire_owned()) else { continue };
        let service = TowerToHyperService::new(router.clone());
        tokio::spawn(async move {
            let mut server = http1::Builder::new();
            server.timer(TokioTimer::new()).header_read_timeout(PATIENCE);
            // A client that breaks off or talks nonsense is its own affair.
            let _ = server.serve_connection(TokioIo::new(stream), service).await;
            drop(seat);
        });
    }
    Ok(())
}

fn router(served: Arc<Served>) -> Router {
    Router::new()
        .route("/api/protocols", get(protocols))
        .route("/api/opening", get(opening))
        .route("/api/runs", post(new_run))
        .route("/api/runs/{id}", put(change_run))
        .route("/api/runs/{id}/frame", get(frame_of))
        .route("/api/runs/{id}/history", get(history))
        .route("/api/runs/{id}/spacetime", get(spacetime))
        .route("/api/runs/{id}/facts", get(facts))
        .route("/api/runs/{id}/case", get(case))
        .route("/api/runs/{id}/config", get(config))
        .fallback(page)
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(middleware::from_fn_with_state(served.clone(), guard))
        .with_state(served)
}

/// Lets in only requests that come from this machine's own pages, and tells browsers to be as strict.
async fn guard(State(served): Shares, request: Request, next: Next) -> Response {
    if let Err(refused) = own(request.headers(), request.method(), served.port) {
        return refused.into_response();
    }
    let mut response = match tokio::time::timeout(PATIENCE, next.run(request)).await {
        Ok(response) => response,
        Err(_) => Refused::new(StatusCode::REQUEST_TIMEOUT, "the request took too long").into_response(),
    };
    for (name, value) in STRICT {
        response.headers_mut().insert(name, header::HeaderValue::from_static(value));
    }
    response
}

/// Refuses what another site could have sent: a foreign name for this machine (DNS rebinding), or a foreign page.
fn own(headers: &HeaderMap, method: &Method, port: u16) -> Result<(), Refused> {
    let names = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{port}"));
    let text = |name| headers.get(name).map(|value: &header::HeaderValue| value.to_str().unwrap_or("?"));
    let ours = |host: &str| names.iter().any(|name| name == host);
    let host = text(header::HOST).unwrap_or("");
    let forbid = |why: String| Err(Refused::new(StatusCode::FORBIDDEN, why));
    if !ours(host) {
        return forbid(format!("Host {host:?}: this server answers to {}", names.join(", ")));
    }
    if let Some(origin) = text(header::ORIGIN).filter(|origin| !origin.strip_prefix("http://").is_some_and(ours)) {
        return forbid(format!("Origin {origin:?}: only pages of this server may ask"));
    }
    let json = text(header::CONTENT_TYPE).is_some_and(|kind| kind.starts_with("application/json"));
    if method != Method::GET && method != Method::HEAD && !json {
        return Err(Refused::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "a description is application/json"));
    }
    Ok(())
}

/// Why a request was not answered.
struct Refused(StatusCode, String);

impl Refused {
    fn new(status: StatusCode, why: impl Into<String>) -> Self {
        Self(status, why.into())
    }
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Self::new(StatusCode::BAD_REQUEST, error.0)
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        (self.0, answer(&Value::map([("error", self.1.into())]))).into_response()
    }
}

/// A value as JSON.
fn answer(value: &Value) -> Response {
    (content("application/json"), text(value)).into_response()
}

fn text(value: &Value) -> Vec<u8> {
    let mut text = Vec::new();
    let written = json::write_line(&mut text, value);
    debug_assert!(written.is_ok(), "writing to memory cannot fail");
    text
}

fn content(kind: &'static str) -> [(header::HeaderName, &'static str); 1] {
    [(header::CONTENT_TYPE, kind)]
}

/// A file of the page, or a plain no.
async fn page(request: Request) -> Response {
    match page::file(request.uri().path()) {
        Some((kind, text)) if [Method::GET, Method::HEAD].contains(request.method()) => {
            (content(kind), text).into_response()
        }
        Some(_) => Refused::new(StatusCode::METHOD_NOT_ALLOWED, "pages can only be read").into_response(),
        None => Refused::new(StatusCode::NOT_FOUND, "there is no such page").into_response(),
    }
}

async fn protocols(State(served): Shares) -> Response {
    answer(&frame::protocols(&served.catalogue))
}

async fn opening(State(served): Shares) -> Response {
    answer(&served.opening)
}

/// The fields of a query; what is wrong with them is told like everything else.
struct Fields<T>(T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Fields<T> {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refused> {
        let query = parts.uri.query().unwrap_or("").to_owned();
        match Query::<T>::from_request_parts(parts, state).await {
            Ok(Query(fields)) => Ok(Self(fields)),
            Err(error) => Err(Refused::new(StatusCode::BAD_REQUEST, format!("?{query}: {}", error.body_text()))),
        }
    }
}

/// Computes on a thread that may take its time.
async fn compute(
    served: Arc<Served>,
    work: impl FnOnce(&Served) -> Result<Response, Refused> + Send + 'static,
) -> Response {
    let Ok(seat) = served.seats.clone().acquire_owned().await else {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    };
    let computed = move || {
        let done = work(&served);
        drop(seat);
        done
    };
    let done = tokio::task::spawn_blocking(computed).await;
    let broken =
        || Refused::new(StatusCode::INTERNAL_SERVER_ERROR, "the server has a flaw; please report how you came here");
    done.unwrap_or_else(|_| Err(broken())).unwrap_or_else(IntoResponse::into_response)
}

/// Computes with a run.
async fn with_run(
    (State(served), Path(id)): OfRun,
    work: impl FnOnce(&mut Run) -> Result<Response, Error> + Send + 'static,
) -> Response {
    let answered = move |served: &Served| {
        let forgotten = || format!("run {id:?}: unknown or forgotten; describe it again");
        let run = served.runs.get(&id).ok_or_else(|| Refused::new(StatusCode::NOT_FOUND, forgotten()))?;
        Ok(work(&mut open(&run))?)
    };
    compute(served, answered).await
}

async fn new_run(State(served): Shares, body: Bytes) -> Response {
    let add = move |served: &Served| {
        let (id, run) = served.runs.add(Description::read(&body)?.plan(&served.catalogue)?)?;
        Ok(answer(&frame::describe(&id, &open(&run))))
    };
    compute(served, add).await
}

async fn change_run(of: OfRun, body: Bytes) -> Response {
    let (name, catalogue) = (of.1.0.clone(), of.0.catalogue.clone());
    let change = move |run: &mut Run| {
        run.replan(Description::read(&body)?.plan(&catalogue)?)?;
        Ok(answer(&frame::describe(&name, run)))
    };
    with_run(of, change).await
}

#[derive(Deserialize)]
struct FrameQuery {
    #[serde(default)]
    from: u64,
    #[serde(default)]
    steps: u64,
    ms: Option<u64>,
    #[serde(default)]
    until: String,
    #[serde(default)]
    hash: u8,
}

async fn frame_of(of: OfRun, Fields(query): Fields<FrameQuery>) -> Response {
    let FrameQuery { from, steps, ms, until, hash } = query;
    let ask = Ask {
        from,
        steps,
        time: ms.map_or(USUAL, Duration::from_millis).min(MOST),
        until: until.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect(),
    };
    with_run(of, move |run| {
        let found = run.go(&ask)?;
        Ok(answer(&frame::frame(run, &found, hash == 1)))
    })
    .await
}

async fn history(of: OfRun) -> Response {
    with_run(of, |run| Ok(answer(&frame::history(run)))).await
}

#[derive(Deserialize)]
struct SpacetimeQuery {
    variable: String,
    #[serde(default)]
    from: u64,
    to: Option<u64>,
    rows: Option<u64>,
}

async fn spacetime(of: OfRun, Fields(query): Fields<SpacetimeQuery>) -> Response {
    let SpacetimeQuery { variable, from, to, rows } = query;
    let look = move |run: &mut Run| {
        let span = (from, to.unwrap_or(u64::MAX));
        let diagram = frame::spacetime(run, &variable, span, rows.unwrap_or(256), Instant::now() + LONG)?;
        Ok(answer(&diagram))
    };
    with_run(of, look).await
}

#[derive(Deserialize)]
struct StepQuery {
    #[serde(default)]
    step: u64,
}

/// Goes to a step, and answers with what is made of the run there.
async fn at_step(
    of: OfRun,
    step: u64,
    make: impl FnOnce(&Run) -> Result<Response, Error> + Send + 'static,
) -> Response {
    let work = move |run: &mut Run| {
        export::go_to(run, step, Instant::now() + LONG)?;
        make(run)
    };
    with_run(of, work).await
}

async fn facts(of: OfRun, Fields(query): Fields<StepQuery>) -> Response {
    at_step(of, query.step, |run| Ok(answer(&run.cursor.session.facts()))).await
}

async fn case(of: OfRun, Fields(query): Fields<StepQuery>) -> Response {
    let make = |run: &Run| Ok(download(&file_name(run, "case"), export::case(run, Instant::now() + LONG)?));
    at_step(of, query.step, make).await
}

async fn config(of: OfRun, Fields(query): Fields<StepQuery>) -> Response {
    let make = |run: &Run| Ok(download(&file_name(run, "config"), text(&export::config(run))));
    at_step(of, query.step, make).await
}

fn file_name(run: &Run, kind: &str) -> String {
    let (trial, step) = (&run.trial, run.cursor.at);
    format!("{}-n{}-seed{}-step{step}.{kind}.json", trial.protocol, trial.n, trial.seed)
}

fn download(name: &str, text: Vec<u8>) -> Response {
    let disposition = format!("attachment; filename=\"{name}\"");
    let headers = [(header::CONTENT_TYPE, "application/json".to_owned()), (header::CONTENT_DISPOSITION, disposition)];
    (headers, Body::from(text)).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(pairs: &[(&'static str, &str)], method: &Method) -> bool {
        let mut headers = HeaderMap::new();
        pairs.iter().for_each(|(name, value)| {
            headers.insert(*name, value.parse().unwrap());
        });
        own(&headers, method, 7464).is_ok()
    }

    #[test]
    fn only_own_pages_are_answered() {
        let host = ("host", "127.0.0.1:7464");
        assert!(asked(&[host], &Method::GET) && asked(&[("host", "localhost:7464")], &Method::GET));
        assert!(asked(&[host, ("origin", "http://127.0.0.1:7464")], &Method::GET));
        for foreign in
            ["", "example.org", "example.org:7464", "127.0.0.1:7465", "127.0.0.1", "localhost:7464.example.org"]
        {
            assert!(!asked(&[("host", foreign)], &Method::GET), "{foreign}");
        }
        for foreign in [
            "null",
            "http://example.org",
            "https://127.0.0.1:7464",
            "http://127.0.0.1:80",
            "http://127.0.0.1:7464.example.org",
        ] {
            assert!(!asked(&[host, ("origin", foreign)], &Method::GET), "{foreign}");
        }
        assert!(!asked(&[], &Method::GET));
        assert!(!asked(&[host], &Method::POST) && !asked(&[host, ("content-type", "text/plain")], &Method::POST));
        assert!(asked(&[host, ("content-type", "application/json")], &Method::POST));
    }
}
