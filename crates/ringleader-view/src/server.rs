//! The server: on this machine only, for pages of its own only, with limits on everything.
//!
//! Every request is short, since computing stops when its time is up and the page asks again; so there is nothing to be cancelled
//! and nothing to be cleaned up when a page goes away. No request reads a file: the pages are part of the binary. Who computes is said
//! in `turn.rs`, who stays connected in `connections.rs`, and how much memory all of it takes in `budget.rs`.

use std::future::poll_fn;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{FromRequestParts, Path, Query, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post, put};
use axum::{Extension, Router};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use ringleader::value::Value;
use ringleader_records::error::Error;
use ringleader_records::json;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::net::TcpStream;
use tokio::runtime::Handle;
use tokio::time::timeout;

use crate::budget::SMALL;
use crate::connections::{Connection, Connections, Held, Kind};
use crate::description::Description;
use crate::library::Library;
use crate::listing::{Why, told};
use crate::run::{Ask, Run};
use crate::runs::{Runs, Shared};
use crate::turn::{Seats, Turn};
use crate::{MAX_BODY, export, frame, page};

/// How long a client may take for the head of a request; it is also how long a connection may be idle.
const HEAD_PATIENCE: Duration = Duration::from_secs(10);
/// How long a request may take in all.
const PATIENCE: Duration = Duration::from_secs(20);
/// How often the server asks whether it is to stop.
const LOOK: Duration = Duration::from_millis(100);
/// The longest that one request computes.
const MOST: Duration = Duration::from_millis(250);
/// What it computes if nothing is said.
const USUAL: Duration = Duration::from_millis(25);
/// The longest that it takes to make a file, or a picture of many steps.
const LONG: Duration = Duration::from_secs(5);
/// The most headers of a request, and the most bytes in them; beyond 100 headers or 64 KiB it is not even understood.
const MAX_HEADERS: (usize, usize) = (64, 16 << 10);
/// So many characters of an error are told, from its beginning and as many from its end.
const TOLD: usize = 240;

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
    library: Library,
    runs: Arc<Runs>,
    /// What is shown first.
    opening: Value,
    seats: Seats,
    port: u16,
}

type Shares = State<Arc<Served>>;
/// Who asks.
type Asker = Extension<Connection>;
/// A request about one run.
type OfRun = (Shares, Asker, Path<String>);

impl Server {
    /// Binds to a port of this machine, or to any free one if it is 0. Pages show the opening first, unless their address says
    /// otherwise.
    ///
    /// # Errors
    /// If the port cannot be used.
    pub fn bind(library: Library, opening: &Description, port: u16) -> Result<Self, Error> {
        let refused = |error| Error::new(format!("cannot listen on port {port}: {error}"));
        let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).map_err(refused)?;
        let port = listener.local_addr().map_err(refused)?.port();
        let served = Served { library, runs: Runs::new(), opening: opening.opening(), seats: Seats::new(), port };
        Ok(Self { listener, served })
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
        let seats = self.served.seats.clone();
        runtime.block_on(accept(self.listener, router(Arc::new(self.served)), stop)).map_err(failed)?;
        seats.close();
        runtime.shutdown_timeout(MOST);
        Ok(())
    }
}

/// Takes connections until it is told to stop. One that cannot be taken (too many open files) is no reason to stop.
async fn accept(listener: TcpListener, router: Router, stop: &dyn Fn() -> bool) -> std::io::Result<()> {
    listener.set_nonblocking(true)?;
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let connections = Connections::new();
    while !stop() {
        match timeout(LOOK, listener.accept()).await {
            Ok(Ok((stream, _))) => {
                let Some(connection) = unless(stop, connections.place()).await else { break };
                let task = tokio::spawn(serve(stream, connection.clone(), router.clone()));
                connection.served_by(task.abort_handle());
            }
            Ok(Err(_)) => tokio::time::sleep(LOOK).await,
            Err(_) => {}
        }
    }
    Ok(())
}

/// Waits for something, unless the server is told to stop.
async fn unless<T>(stop: &dyn Fn() -> bool, wanted: impl Future<Output = Option<T>>) -> Option<T> {
    let mut wanted = Box::pin(wanted);
    loop {
        match timeout(LOOK, &mut wanted).await {
            Ok(done) => return done,
            Err(_) if stop() => return None,
            Err(_) => {}
        }
    }
}

/// Answers one request of a connection after the other.
async fn serve(stream: TcpStream, connection: Connection, router: Router) {
    let routed = TowerToHyperService::new(router);
    let answered = service_fn(|mut request: hyper::Request<Incoming>| {
        let asker = connection.clone();
        asker.awaited(false);
        request.extensions_mut().insert(asker.clone());
        let answer = routed.call(request);
        async move {
            let answer = answer.await;
            asker.awaited(true);
            answer
        }
    });
    let mut server = http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(HEAD_PATIENCE).max_buf_size(SMALL);
    // Answers are whole when they are written, so nothing is gained by waiting for more.
    let _ = stream.set_nodelay(true);
    // A client that breaks off or talks nonsense is its own affair.
    let _ = server.serve_connection(TokioIo::new(stream), answered).await;
}

fn router(served: Arc<Served>) -> Router {
    Router::new()
        .route("/api/protocols", get(protocols))
        .route("/api/opening", get(opening))
        .route("/api/runs", post(new_run))
        .route("/api/runs/{id}", put(change_run))
        .route("/api/runs/{id}/frame", get(frame_of))
        .route("/api/runs/{id}/history", get(history))
        .route("/api/runs/{id}/lines", get(lines))
        .route("/api/runs/{id}/spacetime", get(spacetime))
        .route("/api/runs/{id}/facts", get(facts))
        .route("/api/runs/{id}/case", get(case))
        .route("/api/runs/{id}/config", get(config))
        .fallback(page)
        .layer(middleware::from_fn_with_state(served.clone(), guard))
        .with_state(served)
}

/// Lets in only requests that come from this machine's own pages, and tells browsers to be as strict, whatever the answer is.
async fn guard(State(served): Shares, request: Request, next: Next) -> Response {
    let mut response = match own(request.headers(), request.method(), served.port) {
        Ok(()) => timeout(PATIENCE, next.run(request))
            .await
            .unwrap_or_else(|_| Refused::new(StatusCode::REQUEST_TIMEOUT, "the request took too long").into_response()),
        Err(refused) => refused.into_response(),
    };
    for (name, value) in STRICT {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Refuses what another site could have sent: a foreign name for this machine (DNS rebinding), or a foreign page.
fn own(headers: &HeaderMap, method: &Method, port: u16) -> Result<(), Refused> {
    let names = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{port}"));
    let text = |name| headers.get(name).map(|value: &HeaderValue| value.to_str().unwrap_or("?"));
    let bytes: usize = headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
    if headers.len() > MAX_HEADERS.0 || bytes > MAX_HEADERS.1 {
        let why = format!(
            "{} headers with {bytes} bytes: allowed are {} with {}",
            headers.len(),
            MAX_HEADERS.0,
            MAX_HEADERS.1
        );
        return Err(Refused::new(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, why));
    }
    let ours = |host: &str| names.iter().any(|name| name == host);
    let host = text(header::HOST).unwrap_or("");
    let forbid = |why: String| Err(Refused::new(StatusCode::FORBIDDEN, why));
    if !ours(host) {
        return forbid(format!("Host {host:?}: this server answers to {}", names.join(", ")));
    }
    if let Some(origin) = text(header::ORIGIN).filter(|origin| !origin.strip_prefix("http://").is_some_and(ours)) {
        return forbid(format!("Origin {origin:?}: only pages of this server may ask"));
    }
    let kind = text(header::CONTENT_TYPE).and_then(|kind| kind.split(';').next());
    let json = kind.is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"));
    if method != Method::GET && method != Method::HEAD && !json {
        return Err(Refused::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "a description is application/json"));
    }
    Ok(())
}

/// Why a request was not answered.
struct Refused {
    status: StatusCode,
    why: String,
    /// What is wrong with a text, and where.
    problems: Option<Value>,
}

impl Refused {
    /// What was sent may be part of the reason, so of a long one only the beginning and the end are told.
    fn new(status: StatusCode, why: impl Into<String>) -> Self {
        let why = why.into();
        let place = |nth: Option<(usize, char)>| nth.map(|(place, _)| place);
        let (head, tail) = (place(why.char_indices().nth(TOLD)), place(why.char_indices().nth_back(TOLD - 1)));
        match (head, tail) {
            (Some(head), Some(tail)) if head < tail => {
                Self { status, why: format!("{} ... {}", &why[..head], &why[tail..]), problems: None }
            }
            _ => Self { status, why, problems: None },
        }
    }

    /// The server ends, or this client had to give way to others.
    fn dropped() -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "there is no room for this now")
    }
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Self::new(StatusCode::BAD_REQUEST, error.0)
    }
}

impl From<Why> for Refused {
    fn from(why: Why) -> Self {
        match why {
            Why::Other(error) => error.into(),
            Why::Text(problems) => {
                let told = told(&problems);
                Self { problems: Some(told), ..Self::new(StatusCode::BAD_REQUEST, problems.to_string()) }
            }
        }
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let problems = self.problems.map(|problems| ("problems", problems));
        let fields = std::iter::once(("error", self.why.into())).chain(problems);
        (self.status, answer(&Value::map(fields))).into_response()
    }
}

/// A value as JSON.
fn answer(value: &Value) -> Response {
    (content("application/json"), text(value)).into_response()
}

/// What is answered, before it is sent.
struct Answer {
    text: Vec<u8>,
    /// The name of the file, if it is to become one.
    file: Option<String>,
}

impl Answer {
    fn new(value: &Value) -> Self {
        Self { text: text(value), file: None }
    }

    /// The answer on its way; what is held for it is given back when it is sent.
    fn sent(self, held: Held) -> Response {
        struct Sent(Vec<u8>, #[expect(dead_code, reason = "held until this is dropped")] Held);
        impl AsRef<[u8]> for Sent {
            fn as_ref(&self) -> &[u8] {
                &self.0
            }
        }
        let mut response = Response::new(Body::from(Bytes::from_owner(Sent(self.text, held))));
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let disposition = self.file.map(|name| HeaderValue::try_from(format!("attachment; filename=\"{name}\"")));
        if let Some(Ok(disposition)) = disposition {
            response.headers_mut().insert(header::CONTENT_DISPOSITION, disposition);
        }
        response
    }
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
    answer(&frame::protocols(&served.library))
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

/// Computes on a thread that may take its time, in turn with others.
async fn compute<T: Send + 'static>(
    served: &Served,
    work: impl FnOnce(&mut Turn) -> Result<T, Refused> + Send + 'static,
) -> Result<T, Refused> {
    let asker = Arc::new(());
    let mut turn = served.seats.turn(Arc::downgrade(&asker)).await;
    let done = tokio::task::spawn_blocking(move || work(&mut turn)).await;
    let flaw = "the server has a flaw; please report how you came here";
    done.unwrap_or_else(|_| Err(Refused::new(StatusCode::INTERNAL_SERVER_ERROR, flaw)))
}

/// Computes an answer.
async fn answered(
    served: &Served,
    Extension(asker): Asker,
    work: impl FnOnce(&mut Turn) -> Result<Answer, Refused> + Send + 'static,
) -> Result<Response, Refused> {
    let sent = move |turn: &mut Turn| {
        let answer = work(turn)?;
        // Still in the seat, so that there are no more answers without room than there are seats.
        let held = Handle::current().block_on(asker.hold(Kind::Answer, answer.text.len()));
        Ok(answer.sent(held.ok_or_else(Refused::dropped)?))
    };
    compute(served, sent).await
}

/// The run of that name.
fn find(served: &Served, id: &str) -> Result<Shared, Refused> {
    served.runs.get(id).ok_or_else(|| forgotten(id))
}

fn forgotten(id: &str) -> Refused {
    Refused::new(StatusCode::NOT_FOUND, format!("run {id:?}: unknown or forgotten; describe it again"))
}

/// Computes with a run. Its lock comes first, then a seat: whoever waits for a run keeps nobody else from computing.
async fn with_run(
    (State(served), asker, Path(id)): OfRun,
    work: impl FnOnce(&mut Run, &mut Turn) -> Result<Answer, Refused> + Send + 'static,
) -> Result<Response, Refused> {
    let mut run = find(&served, &id)?.lock_owned().await;
    answered(&served, asker, move |turn| work(&mut run, turn)).await
}

/// A description, what its run takes, and what is held for its body.
async fn described(
    served: &Served,
    Extension(asker): &Asker,
    request: Request,
) -> Result<(Description, usize, Held), Refused> {
    let (body, held) = body(asker, request).await?;
    let library = served.library.clone();
    let read = move |turn: &mut Turn| {
        turn.undivided();
        let description = Description::read(&body)?.with_text(&library);
        let bytes = description.bytes()?;
        Ok((description, bytes))
    };
    let (description, bytes) = compute(served, read).await?;
    Ok((description, bytes, held))
}

/// Reads a body, for which room is taken first.
async fn body(asker: &Connection, request: Request) -> Result<(Vec<u8>, Held), Refused> {
    let large = || Refused::new(StatusCode::PAYLOAD_TOO_LARGE, format!("a description has {MAX_BODY} bytes at most"));
    let mut body = request.into_body();
    let most = body.size_hint().upper().and_then(|bytes| usize::try_from(bytes).ok());
    // One that does not say how long it is may be as long as allowed.
    let most = most.unwrap_or(MAX_BODY);
    if most > MAX_BODY {
        return Err(large());
    }
    asker.awaited(true);
    let held = asker.hold(Kind::Body, most).await.ok_or_else(Refused::dropped)?;
    let mut text = Vec::with_capacity(most);
    while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
        let broken = |_| Refused::new(StatusCode::BAD_REQUEST, "the body broke off");
        let Ok(part) = frame.map_err(broken)?.into_data() else { continue };
        if text.len() + part.len() > most {
            return Err(large());
        }
        text.extend_from_slice(&part);
    }
    asker.awaited(false);
    Ok((text, held))
}

async fn new_run(State(served): Shares, asker: Asker, request: Request) -> Result<Response, Refused> {
    let (description, bytes, _held) = described(&served, &asker, request).await?;
    let room = served.runs.room(bytes).await.ok_or_else(Refused::dropped)?;
    let shared = served.clone();
    let add = move |turn: &mut Turn| {
        turn.undivided();
        let run = Run::new(description.plan(&shared.library)?, Some(room))?;
        let id = Runs::name();
        let answer = Answer::new(&frame::describe(&id, &run));
        shared.runs.add(id, run);
        Ok(answer)
    };
    answered(&served, asker, add).await
}

/// Gives a run other edits. A description of another run is none of this one.
async fn change_run((State(served), asker, Path(id)): OfRun, request: Request) -> Result<Response, Refused> {
    let (description, _, _held) = described(&served, &asker, request).await?;
    let mut run = find(&served, &id)?.lock_owned().await;
    let library = served.library.clone();
    let change = move |turn: &mut Turn| {
        turn.undivided();
        let plan = description.plan(&library)?;
        if !run.is_of(&plan) {
            return Err(forgotten(&id));
        }
        run.replan(plan)?;
        Ok(Answer::new(&frame::describe(&id, &run)))
    };
    answered(&served, asker, change).await
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

async fn frame_of(of: OfRun, Fields(query): Fields<FrameQuery>) -> Result<Response, Refused> {
    let FrameQuery { from, steps, ms, until, hash } = query;
    let ask = Ask {
        from,
        steps,
        time: ms.map_or(USUAL, Duration::from_millis).min(MOST),
        until: until.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect(),
    };
    with_run(of, move |run, turn| {
        let found = run.go(&ask, turn)?;
        Ok(Answer::new(&frame::frame(run, &found, hash == 1)))
    })
    .await
}

async fn history(of: OfRun) -> Result<Response, Refused> {
    with_run(of, |run, _| Ok(Answer::new(&frame::history(run)))).await
}

/// How often the lines of the text were executed, counted as far as the time allows.
async fn lines(of: OfRun, Fields(query): Fields<LinesQuery>) -> Result<Response, Refused> {
    let LinesQuery { step, ms } = query;
    let count = move |run: &mut Run, turn: &mut Turn| {
        turn.lasts(ms.map_or(USUAL, Duration::from_millis).min(MOST));
        Ok(Answer::new(&frame::counts(run, step, turn)?))
    };
    with_run(of, count).await
}

#[derive(Deserialize)]
struct LinesQuery {
    #[serde(default)]
    step: u64,
    ms: Option<u64>,
}

#[derive(Deserialize)]
struct SpacetimeQuery {
    variable: String,
    #[serde(default)]
    from: u64,
    to: Option<u64>,
    rows: Option<u64>,
}

async fn spacetime(of: OfRun, Fields(query): Fields<SpacetimeQuery>) -> Result<Response, Refused> {
    let SpacetimeQuery { variable, from, to, rows } = query;
    let look = move |run: &mut Run, turn: &mut Turn| {
        turn.lasts(LONG);
        let span = (from, to.unwrap_or(u64::MAX));
        Ok(Answer::new(&frame::spacetime(run, &variable, span, rows.unwrap_or(256), turn)?))
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
    make: impl FnOnce(&Run, &mut Turn) -> Result<Answer, Error> + Send + 'static,
) -> Result<Response, Refused> {
    let work = move |run: &mut Run, turn: &mut Turn| {
        turn.lasts(LONG);
        export::go_to(run, step, turn)?;
        turn.lasts(LONG);
        Ok(make(run, turn)?)
    };
    with_run(of, work).await
}

async fn facts(of: OfRun, Fields(query): Fields<StepQuery>) -> Result<Response, Refused> {
    let make = |run: &Run, _: &mut Turn| match run.pace().look(|| run.cursor.session.facts()) {
        (facts, None) => Ok(Answer::new(&facts)),
        (_, Some(fault)) => Err(Error::new(format!("line {}: {}", fault.span.line, fault.what))),
    };
    at_step(of, query.step, make).await
}

async fn case(of: OfRun, Fields(query): Fields<StepQuery>) -> Result<Response, Refused> {
    let make = |run: &Run, turn: &mut Turn| Ok(Answer { text: export::case(run, turn)?, file: file_name(run, "case") });
    at_step(of, query.step, make).await
}

async fn config(of: OfRun, Fields(query): Fields<StepQuery>) -> Result<Response, Refused> {
    let make = |run: &Run, turn: &mut Turn| {
        turn.undivided();
        Ok(Answer { text: text(&export::config(run)), file: file_name(run, "config") })
    };
    at_step(of, query.step, make).await
}

fn file_name(run: &Run, kind: &str) -> Option<String> {
    let (trial, step) = (&run.trial, run.cursor.at);
    let protocol = trial.protocol.rsplit('/').next()?;
    Some(format!("{protocol}-n{}-seed{}-step{step}.{kind}.json", trial.n, trial.seed))
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
        for kind in ["application/jsonx", "application/json-seq", "text/plain; application/json", "application/json/x"]
        {
            assert!(!asked(&[host, ("content-type", kind)], &Method::POST), "{kind}");
        }
        for kind in ["application/json", "application/json; charset=utf-8", "Application/JSON ;charset=utf-8"] {
            assert!(asked(&[host, ("content-type", kind)], &Method::POST), "{kind}");
        }
    }

    #[test]
    fn an_error_never_repeats_more_than_a_line_of_what_was_sent() {
        let told = |why: &str| Refused::new(StatusCode::BAD_REQUEST, why).why;
        assert_eq!(told("n = 2: 3 to 16384"), "n = 2: 3 to 16384");
        let exact = "é".repeat(2 * TOLD);
        assert_eq!(told(&exact), exact);
        let long = told(&format!("unknown field {}, expected n", "é".repeat(1 << 20)));
        assert!(long.starts_with("unknown field é") && long.ends_with("é, expected n"), "{long}");
        assert_eq!(long.chars().count(), 2 * TOLD + 5);
    }
}
