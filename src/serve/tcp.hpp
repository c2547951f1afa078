// Connections by TCP.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "serve/byte_stream.hpp"

namespace whorl::serve {

using Clock = std::chrono::steady_clock;

/// How long a peer may take.
struct PeerTimes {
  std::chrono::milliseconds idle{std::chrono::minutes(5)};      ///< until its next message begins, or until it reads
  std::chrono::milliseconds message{std::chrono::seconds(30)};  ///< for the rest of a message
};

/// A file descriptor that is closed in the end.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) noexcept : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.number_) { other.number_ = -1; }
  Descriptor& operator=(Descriptor&& other) noexcept;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }

  int get() const noexcept { return number_; }
  void close() noexcept;

 private:
  int number_;
};

/// Threads  one may read while another writes
class TcpStream final : public ByteStream {
 public:
  TcpStream(Descriptor descriptor, std::string peer, PeerTimes times);

  void await(Awaited what) override;
  std::size_t read_some(std::span<std::byte> to) override;
  void write(std::span<const std::byte> bytes) override;
  void interrupt() override;

  /// Says that nothing more is written, and throws away what the peer still sends, for so long: a connection that is closed
  /// with unread bytes is reset, and the peer may lose what was written to it.
  void finish(std::chrono::milliseconds patience);
  /// Address and port.
  const std::string& peer() const { return peer_; }

 private:
  std::size_t receive(std::span<std::byte> to);

  Descriptor descriptor_;
  Descriptor waker_;  // readable once reads are to end
  std::string peer_;
  PeerTimes times_;
  Awaited awaited_ = Awaited::message;
  Clock::time_point deadline_;
  std::vector<std::byte> buffer_;
  std::size_t used_ = 0;    // of the buffer
  std::size_t filled_ = 0;  // of the buffer
};

class TcpListener {
 public:
  /// Listens at an address of this machine; port 0: one that is free. Throws IoError.
  TcpListener(const std::string& address, int port);

  int port() const { return port_; }
  const std::string& address() const { return address_; }
  /// The next connection, if one comes within the time.
  std::unique_ptr<TcpStream> accept(std::chrono::milliseconds wait, PeerTimes times);

 private:
  Descriptor descriptor_;
  std::string address_;
  int port_ = 0;
};

/// Connects to HOST:PORT. Throws IoError.
std::unique_ptr<TcpStream> connect_tcp(const std::string& host, int port, PeerTimes times);

}  // namespace whorl::serve
