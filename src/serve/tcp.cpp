#include "serve/tcp.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace whorl::serve {

namespace {

constexpr std::size_t buffer_size = std::size_t{1} << 16;

std::string reason() { return std::generic_category().message(errno); }

enum class Waited { ready, late, woken };

/// Waits for the events, or for the second descriptor to be readable, until the deadline.
Waited wait_for(int descriptor, short events, Clock::time_point deadline, int waker = -1) {
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return Waited::late;
    std::array<pollfd, 2> what{{{descriptor, events, 0}, {waker, POLLIN, 0}}};  // a negative one is left out
    const int ready =
        ::poll(what.data(), what.size(), static_cast<int>(std::min<std::int64_t>(left.count(), 1'000'000)));
    if (ready > 0 && what[1].revents != 0) return Waited::woken;
    if (ready > 0) return Waited::ready;
    if (ready < 0 && errno != EINTR) return Waited::ready;  // the call that follows says why
  }
}

struct Addresses {
  Addresses(const std::string& host, int port, bool to_listen) {
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICSERV | (to_listen ? AI_PASSIVE : 0);
    const int code = ::getaddrinfo(host.c_str(), fmt::format("{}", port).c_str(), &hints, &first);
    if (code != 0) {
      throw IoError(fmt::format("'{}' is no address that is known here: {}; give a name or a number such as 127.0.0.1",
                                host, ::gai_strerror(code)));
    }
  }
  ~Addresses() { ::freeaddrinfo(first); }
  Addresses(const Addresses&) = delete;
  Addresses& operator=(const Addresses&) = delete;

  addrinfo* first = nullptr;
};

std::string text_of(const sockaddr_storage& address, socklen_t length) {
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> port{};
  const int code = ::getnameinfo(reinterpret_cast<const sockaddr*>(&address), length, host.data(), host.size(),
                                 port.data(), port.size(), NI_NUMERICHOST | NI_NUMERICSERV);
  return code == 0 ? fmt::format("{}:{}", host.data(), port.data()) : "unknown";
}

// Messages are whole when they are sent: none waits for more bytes.
void send_at_once(int descriptor) {
  const int on = 1;
  ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

void Descriptor::close() noexcept {
  if (number_ >= 0) ::close(number_);
  number_ = -1;
}

TcpStream::TcpStream(Descriptor descriptor, std::string peer, PeerTimes times)
    : descriptor_(std::move(descriptor)),
      waker_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      peer_(std::move(peer)),
      times_(times),
      buffer_(buffer_size) {
  send_at_once(descriptor_.get());
  await(Awaited::message);
}

void TcpStream::await(Awaited what) {
  awaited_ = what;
  deadline_ = Clock::now() + (what == Awaited::message ? times_.idle : times_.message);
}

std::size_t TcpStream::receive(std::span<std::byte> to) {
  while (true) {
    const Waited waited = wait_for(descriptor_.get(), POLLIN, deadline_, waker_.get());
    if (waited == Waited::woken) return 0;
    if (waited == Waited::late) {
      const bool idle = awaited_ == Awaited::message;
      const auto limit = std::chrono::duration<double>(idle ? times_.idle : times_.message);
      throw StreamEnded(fmt::format("the peer sent {} within {:g} s; the connection is closed",
                                    idle ? "no message" : "only a part of a message", limit.count()));
    }
    const ssize_t got = ::recv(descriptor_.get(), to.data(), to.size(), 0);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR && errno != EAGAIN) throw StreamEnded("the connection broke while reading: " + reason());
  }
}

std::size_t TcpStream::read_some(std::span<std::byte> to) {
  if (used_ == filled_) {
    if (to.size() >= buffer_.size()) return receive(to);
    used_ = 0;
    filled_ = receive(buffer_);
  }
  const std::size_t count = std::min(to.size(), filled_ - used_);
  std::memcpy(to.data(), buffer_.data() + used_, count);
  used_ += count;
  return count;
}

void TcpStream::write(std::span<const std::byte> bytes) {
  const Clock::time_point deadline = Clock::now() + times_.idle;
  while (!bytes.empty()) {
    if (wait_for(descriptor_.get(), POLLOUT, deadline) == Waited::late) {
      throw StreamEnded(fmt::format("the peer did not read what was sent to it within {:g} s",
                                    std::chrono::duration<double>(times_.idle).count()));
    }
    const ssize_t sent = ::send(descriptor_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(sent));
    } else if (errno != EINTR && errno != EAGAIN) {
      throw StreamEnded("the connection broke while writing: " + reason());
    }
  }
}

void TcpStream::interrupt() {
  const std::uint64_t one = 1;
  static_cast<void>(!::write(waker_.get(), &one, sizeof(one)));  // a full counter wakes as well
}

void TcpStream::finish(std::chrono::milliseconds patience) {
  const Clock::time_point deadline = Clock::now() + patience;
  ::shutdown(descriptor_.get(), SHUT_WR);
  while (wait_for(descriptor_.get(), POLLIN, deadline) == Waited::ready) {
    const ssize_t got = ::recv(descriptor_.get(), buffer_.data(), buffer_.size(), 0);
    if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) return;
  }
}

TcpListener::TcpListener(const std::string& address, int port) : address_(address) {
  const Addresses found(address, port, true);
  const addrinfo& place = *found.first;
  descriptor_ = Descriptor(::socket(place.ai_family, place.ai_socktype | SOCK_CLOEXEC, place.ai_protocol));
  const int on = 1;
  ::setsockopt(descriptor_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (descriptor_.get() < 0 || ::bind(descriptor_.get(), place.ai_addr, place.ai_addrlen) != 0 ||
      ::listen(descriptor_.get(), SOMAXCONN) != 0) {
    throw IoError(
        fmt::format("cannot listen at {}, port {}: {}; choose another port (0: a free one)", address, port, reason()));
  }
  sockaddr_storage own{};
  socklen_t length = sizeof(own);
  ::getsockname(descriptor_.get(), reinterpret_cast<sockaddr*>(&own), &length);
  const std::string text = text_of(own, length);
  port_ = std::stoi(text.substr(text.rfind(':') + 1));
}

std::unique_ptr<TcpStream> TcpListener::accept(std::chrono::milliseconds wait, PeerTimes times) {
  if (wait_for(descriptor_.get(), POLLIN, Clock::now() + wait) != Waited::ready) return nullptr;
  sockaddr_storage peer{};
  socklen_t length = sizeof(peer);
  Descriptor accepted(::accept4(descriptor_.get(), reinterpret_cast<sockaddr*>(&peer), &length, SOCK_CLOEXEC));
  if (accepted.get() < 0) return nullptr;  // the peer is gone again, or descriptors are short for now
  return std::make_unique<TcpStream>(std::move(accepted), text_of(peer, length), times);
}

std::unique_ptr<TcpStream> connect_tcp(const std::string& host, int port, PeerTimes times) {
  const Addresses found(host, port, false);
  for (const addrinfo* place = found.first; place != nullptr; place = place->ai_next) {
    Descriptor made(::socket(place->ai_family, place->ai_socktype | SOCK_CLOEXEC, place->ai_protocol));
    if (made.get() < 0 || ::connect(made.get(), place->ai_addr, place->ai_addrlen) != 0) continue;
    return std::make_unique<TcpStream>(std::move(made), fmt::format("{}:{}", host, port), times);
  }
  throw IoError(fmt::format("cannot connect to {}:{}: {}; is a server there?", host, port, reason()));
}

}  // namespace whorl::serve
